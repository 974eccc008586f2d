package io.heartwheel.push.schedule;

/**
 * Limits of schedules. Immutable; any thread.
 *
 * @param max schedules at once, 1..10000000
 * @param maxBytes the most that their payloads have together; the key that sets it is {@code messages.stored-bytes}, or {@code messages.total-bytes} if they are
 *     in memory only
 */
public record ScheduleSettings(int max, long maxBytes) {}
