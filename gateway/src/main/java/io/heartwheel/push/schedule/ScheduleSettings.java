package io.heartwheel.push.schedule;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of schedules. Immutable; any thread.
 *
 * @param max schedules at once, 1..10000000
 * @param maxBytes the most that their payloads have together; the key that sets it is {@code messages.stored-bytes}, or {@code messages.total-bytes} if they are
 *     in memory only
 * @param maxAge the longest timeout of a message that is stored; null: none can be
 */
public record ScheduleSettings(int max, long maxBytes, @Nullable Duration maxAge) {
    /** In memory, and few. */
    public static final ScheduleSettings DEFAULTS = new ScheduleSettings(100_000, 64 << 20, null);
}
