/**
 * Outlet to a file of JSON Lines, rotated by size and time.
 *
 * <p>Floor 4, a part of {@code outlet}.
 *
 * <pre>
 *   events --&gt; events.jsonl --full, or the period is over--&gt; events.jsonl.20260101T000000.000Z ... the oldest goes
 * </pre>
 */
@NullMarked
package io.heartwheel.outlet.file;

import org.jspecify.annotations.NullMarked;
