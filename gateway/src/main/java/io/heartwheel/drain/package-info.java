/**
 * Sending devices away: the pace, the windows to come back in, and the forecast of what that will cost those who take them.
 *
 * <p>Floor 3, over {@code session} and {@code event}; no sight of its neighbour {@code protocol}. Time is handed in, and nothing here has a thread.
 *
 * <pre>
 *   settings + what the operator asks for = order
 *        order + devices that are here = plan (the forecast)
 *                  plan + time passing = pace: how many now, with which window
 *
 *   NOTICE -- over --&gt; TELLING -- all told --&gt; WAITING -- near the deadline --&gt; CLOSING -- all closed --&gt; DRAINED
 *                          |                      |                                |                     ^
 *                          +----------------------+---- the last device left ------+---------------------+
 * </pre>
 */
@NullMarked
package io.heartwheel.drain;

import org.jspecify.annotations.NullMarked;
