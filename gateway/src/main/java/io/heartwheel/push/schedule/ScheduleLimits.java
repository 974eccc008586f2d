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

    /**
     * Why there is no room for one more, for people; null: there is.
     *
     * @param others that are there, without the one in whose place it comes
     * @param taken what they take of {@link #maxBytes}
     * @param durable whether they outlive the process
     */
    public @Nullable String refusal(int others, long taken, int added, boolean durable) {
        if (others >= max) {
            return "messages.schedules.max = " + max + ": there are as many";
        }
        return taken + added <= maxBytes
                ? null
                : (durable ? "messages.stored-bytes = " : "messages.total-bytes = ") + maxBytes
                        + "B: what is kept takes " + taken + ", and this one " + added;
    }

    /** As configured. */
    public static ScheduleLimits of(ScheduleSettings schedules, PushSettings messages) {
        StoredSettings stored = messages.stored();
        return stored.isUsed()
                ? new ScheduleLimits(schedules.max(), stored.maxBytes(), stored.maxAge())
                : new ScheduleLimits(schedules.max(), messages.totalBytes(), null);
    }
}
