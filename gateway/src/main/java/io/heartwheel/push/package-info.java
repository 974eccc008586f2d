/**
 * Messages to devices whose sender is told what became of them: acknowledged, expired, refused.
 *
 * <p>Floor 3, over {@code session}, {@code event} and {@code wheel}.
 *
 * <pre>
 *   admin --push--&gt; Pushes --one a device--&gt; DeviceQueue --DATA, ping--&gt; session
 *                     |                          ^   |
 *                     | limits, counters         |   +-- PushResult --&gt; who asked
 *                     |                          +------ ACK, pong, answer, deadline (Timers)
 *   IdempotencyKeys: one result for all requests of one key
 * </pre>
 */
@NullMarked
package io.heartwheel.push;

import org.jspecify.annotations.NullMarked;
