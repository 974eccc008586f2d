package io.heartwheel.push.schedule;

/**
 * Schedule as it is at one moment. Immutable; any thread.
 *
 * @param running whether its message is on the way
 * @param nextMillis when its next time is, as far as is known, by the wall clock
 * @param durable whether it outlives the process
 */
public record ScheduleView(ScheduleRow row, boolean running, long nextMillis, boolean durable) {}
