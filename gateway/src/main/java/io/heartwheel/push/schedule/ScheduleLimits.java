package io.heartwheel.push.schedule;

import io.heartwheel.push.PushSettings;
import io.heartwheel.push.StoredSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of schedules. Immutable; any thread.
 *
 * @param max schedules at once, 1 or more
 * @param maxBytes the most that their payloads have, together with all messages on the disk: {@code messages.stored-bytes}; in memory only, the most that they
 *     have alone: {@code messages.total-bytes}
 * @param maxAge the longest timeout of a message that is stored; null: none can be
 */
public record ScheduleLimits(int max, long maxBytes, @Nullable Duration maxAge) {
    /** In memory, and few. */
    public static final ScheduleLimits DEFAULTS = new ScheduleLimits(100_000, 64 << 20, null);

    /** As configured. */
    public static ScheduleLimits of(ScheduleSettings schedules, PushSettings messages) {
        StoredSettings stored = messages.stored();
        return stored.isUsed()
                ? new ScheduleLimits(schedules.max(), stored.maxBytes(), stored.maxAge())
                : new ScheduleLimits(schedules.max(), messages.totalBytes(), null);
    }
}
