/**
 * The timing wheel: a ring of buckets, a cursor, and entries that carry their own links.
 *
 * <p>Floor 0: the JDK alone. The wheel knows no clock, no Netty and no log; whoever owns it hands in the time and
 * turns it. It proposes expiries and never acts on one.
 *
 * <pre>
 *              cursor
 *                |
 *                v
 *   +----+----+----+----+----+----+----+----+
 *   | b0 | b1 | b2 | b3 | b4 | b5 | b6 | b7 |   one tick a bucket
 *   +----+----+----+----+----+----+----+----+
 *                |              |
 *                e -- e         e              entries, linked through themselves
 *
 *   advance(nowNanos, budget): the cursor moves tick by tick; each entry met is
 *   expired, or filed again when its deadline has moved later since.
 * </pre>
 */
@NullMarked
package io.heartwheel.wheel;

import org.jspecify.annotations.NullMarked;
