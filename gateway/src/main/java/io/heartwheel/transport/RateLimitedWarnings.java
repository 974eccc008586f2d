package io.heartwheel.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log warnings that connections are turned away: at most one line in ten seconds for each cause. It has no thread;
 * {@link #tell} is to be called about once a second. One thread.
 */
final class RateLimitedWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(RateLimitedWarnings.class);
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final class Cause {
        final LongSupplier count;
        final String text;
        long told;
        long toldNanos;

        Cause(LongSupplier count, String text, long toldNanos) {
            this.count = count;
            this.text = text;
            this.toldNanos = toldNanos;
        }
    }

    private final List<Cause> causes = new ArrayList<>();

    /**
     * Watches a count that only grows.
     *
     * @param text what it counts and what to do about it, as the rest of a sentence
     */
    void watch(LongSupplier count, String text, long nowNanos) {
        causes.add(new Cause(count, text, nowNanos - EVERY_NANOS));
    }

    /** Tells what has come since it was told last. */
    void tell(long nowNanos) {
        for (Cause cause : causes) {
            long now = cause.count.getAsLong();
            if (now > cause.told && nowNanos - cause.toldNanos >= EVERY_NANOS) {
                LOG.warn("{} {}", now - cause.told, cause.text);
                cause.told = now;
                cause.toldNanos = nowNanos;
            }
        }
    }
}
