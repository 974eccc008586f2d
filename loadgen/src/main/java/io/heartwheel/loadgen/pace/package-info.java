/**
 * Pace of a run: when the next thing is due, as pure functions of elapsed time.
 *
 * <p>Ground floor: the JDK alone; no clock, no thread, no Netty.
 *
 * <pre>
 *   done
 *    |            . '
 *    |        . '        dueBy(elapsedNanos): how many by now
 *    |    . '
 *    +--'-------------- elapsed
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.pace;

import org.jspecify.annotations.NullMarked;
