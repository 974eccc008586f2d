/**
 * Liveness of a connection: its deadlines, the verdict on it, and what holds a verdict back.
 *
 * <p>Floor 1, over {@code wheel} and {@code event}; the JDK beside them. Time is handed in. Sessions are above: they say what a connection is, send what it
 * sends and close it ({@link io.heartwheel.liveness.MonitoredConnection}).
 *
 * <pre>
 *   wheel: "due?" ----&gt; ExpiryQueue of the channel's event loop
 *                             |
 *                             v
 *               Liveness.judge(connection, now)   Stalls: credit for our own
 *                /            |           \
 *           re-arm          probe         dead? --&gt; Breaker: mass expiry? --&gt; held back
 *                             |                        |
 *                      answered: re-arm                no: close
 * </pre>
 */
@NullMarked
package io.heartwheel.liveness;

import org.jspecify.annotations.NullMarked;
