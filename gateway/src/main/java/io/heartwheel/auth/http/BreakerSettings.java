package io.heartwheel.auth.http;

import java.time.Duration;

/**
 * Settings of a circuit breaker: when a service that fails is left alone, and for how long. Immutable; any thread.
 *
 * @param failures in a row that open the breaker, 1 or more
 * @param share of failures in a window that opens it, above 0 to 1
 * @param least calls in a window before the share counts, 1 or more
 * @param window time over which they are counted
 * @param backoff longest time until the service is tried again; it doubles with each failure
 * @param maxBackoff where doubling ends, not shorter than {@code backoff}
 */
public record BreakerSettings(
        int failures, double share, int least, Duration window, Duration backoff, Duration maxBackoff) {

    /** @throws IllegalArgumentException if they contradict */
    public BreakerSettings {
        if (failures < 1 || least < 1 || share <= 0 || share > 1) {
            throw new IllegalArgumentException(
                    "failures " + failures + ", least " + least + ", share " + share + ": need 1.., 1.., above 0..1");
        }
        if (window.toNanos() < 1 || backoff.toNanos() < 1 || backoff.compareTo(maxBackoff) > 0) {
            throw new IllegalArgumentException(
                    "window " + window + ", backoff " + backoff + ".." + maxBackoff + ": need more than 0, in order");
        }
    }
}
