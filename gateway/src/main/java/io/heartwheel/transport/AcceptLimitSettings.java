package io.heartwheel.transport;

import java.time.Duration;

/**
 * Limit of the connections accepted a second by the whole process, and what those beyond it are told. Immutable; any thread.
 *
 * @param perSecond in the long run, 1..1000000
 * @param burst at once after a rest, 1..1000000
 * @param retryMin start of the window in which a refused device is to come back
 * @param retryMax end of the window, not before its start
 */
public record AcceptLimitSettings(int perSecond, int burst, Duration retryMin, Duration retryMax) {
    /** @throws IllegalArgumentException if the window ends before it begins */
    public AcceptLimitSettings {
        if (retryMin.compareTo(retryMax) > 0) {
            throw new IllegalArgumentException(
                    "accept-limit.retry-min = " + retryMin + ": need at most retry-max = " + retryMax);
        }
    }
}
