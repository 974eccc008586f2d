/**
 * The timing wheel: every deadline of a process in one hierarchical ring, turned by one thread.
 *
 * <p>Floor 0: the JDK alone. The wheel knows no clock, no Netty and no log; whoever owns it hands in the time and
 * turns it. It proposes expiries and never acts on one.
 *
 * <pre>
 *   owners (event loops)                       the turning thread (WheelThread)
 *
 *   register(Timed) -&gt; handle                  advance(nowNanos, budget)
 *   arm(handle, deadline) --+                     |
 *   disarm(handle)          |  cells + marks      v            cursor
 *   release(handle)         +------------------&gt; take           |
 *                                                 |             v
 *   activity: a time stored                       |   level 0 +----+----+----+----+   a bucket = a tick
 *   in the Timed, nothing else                    +---------&gt; | b0 | b1 | b2 | b3 |
 *                                                             +----+----+----+----+
 *                                                     level 1 |         |         |   a bucket = half a turn below
 *                                                             +---------+---------+
 *   a cell the cursor meets: Timed.deadlineNanos() later? filed again. Due? Timed.expire(nowNanos).
 * </pre>
 *
 * <p>Two uses of it for whoever has no entry of his own:
 *
 * <pre>
 *   Timers                                                PendingResults
 *   start(schedule, task) -&gt; Timer                        await(key, timeout) -&gt; CompletableFuture
 *   replace(key, schedule, task)                          complete(key, value), check(key)
 *        |  a Timer is the entry                               |  a Timer for each
 *        +----------------------&gt; TimingWheel &lt;----------------+
 *                                      |  beside the connections
 *                                      +--&gt; expiry: the task goes to its executor
 * </pre>
 *
 * <p>Start with {@link io.heartwheel.wheel.TimingWheel} or {@link io.heartwheel.wheel.Timers}; why they are so stands in {@code
 * docs/decisions/0008-wheel-handles-and-dirty-bitmap.md} and {@code 0009-timers-have-one-owner-at-a-time.md}; {@code
 * docs/wheel.md} explains it all with drawings.
 */
@NullMarked
package io.heartwheel.wheel;

import org.jspecify.annotations.NullMarked;
