/**
 * Messages that are sent later, or again and again: to a device, a group or all.
 *
 * <p>Floor 3, a part of {@code push}: over {@code wheel} and {@code store}. Who takes the messages is a port, {@link io.heartwheel.push.schedule.ScheduleTarget}.
 *
 * <pre>
 *   put(key, spec) --&gt; row on the disk --&gt; entry in the wheel
 *                                              | due: wheel's thread
 *                                              v
 *        row moved forward &lt;-- result &lt;-- row read, ScheduleTarget &lt;-- in slices: schedules' thread
 *               |
 *               +--&gt; armed for the next time, or deleted after the last
 * </pre>
 */
@NullMarked
package io.heartwheel.push.schedule;

import org.jspecify.annotations.NullMarked;
