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
 *                                                     level 1 |         |         |   a bucket = a turn below
 *                                                             +---------+---------+
 *   a cell the cursor meets: Timed.deadlineNanos() later? filed again. Due? Timed.expire(nowNanos).
 * </pre>
 *
 * <p>Start with {@link io.heartwheel.wheel.TimingWheel}; why it is so stands in {@code
 * docs/decisions/0008-wheel-handles-and-dirty-bitmap.md}.
 */
@NullMarked
package io.heartwheel.wheel;

import org.jspecify.annotations.NullMarked;
