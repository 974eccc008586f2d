package io.heartwheel.push.schedule;

/**
 * Settings of schedules. Immutable; any thread.
 *
 * @param max schedules at once, 1..10000000
 */
public record ScheduleSettings(int max) {}
