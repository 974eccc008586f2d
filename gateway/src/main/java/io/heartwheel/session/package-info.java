/**
 * One connection's identity, timestamps and state, and the verdict on whether it still lives.
 *
 * <p>Floor 1, over {@code wheel} and {@code event}; the JDK beside them. Time is handed in. What a session needs from
 * below the wire (ping, close with a reason, is it writable) it asks of small ports that the floors above implement.
 *
 * <pre>
 *   wheel: "due?" ----&gt; the channel's event loop
 *                             |
 *                             v
 *               verdict(policy, session, now)
 *                /            |           \
 *           re-arm          probe        close(reason)
 *                             |
 *                      probe, answered: re-arm
 * </pre>
 */
@NullMarked
package io.heartwheel.session;

import org.jspecify.annotations.NullMarked;
