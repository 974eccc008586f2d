/**
 * The wheel as Netty's timer: {@link io.heartwheel.netty.WheelTimer} is an {@code io.netty.util.Timer}, made like a {@code
 * HashedWheelTimer} and kept to the same contract.
 *
 * <p>Floor 1, over {@code wheel}; of Netty it sees {@code io.netty.util} alone. Nothing of the gateway uses it.
 *
 * <pre>
 *   any thread                                        the timer's own thread
 *
 *   newTimeout(task, delay) --&gt; WheelTimeout --arm--&gt; [ wheel ] --expire--&gt; taskExecutor --&gt; task.run(timeout)
 *                                    |                    ^
 *   timeout.cancel() ----------------+------release-------+
 *                                    +--&gt; task.cancelled(timeout)
 *   stop() --&gt; those that neither expired nor were cancelled
 * </pre>
 */
@NullMarked
package io.heartwheel.netty;

import org.jspecify.annotations.NullMarked;
