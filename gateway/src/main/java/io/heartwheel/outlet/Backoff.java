package io.heartwheel.outlet;

import java.util.function.DoubleSupplier;

/**
 * Backoff with full jitter: a random time up to a limit that doubles with each failure, so that gateways that failed together do not come back
 * together. One thread.
 *
 * @param random 0 to 1
 */
record Backoff(DoubleSupplier random) {
    static final long BASE_MILLIS = 200;
    static final long CAP_MILLIS = 60_000;
    /** A receiver that names a longer time is asked sooner. */
    static final long MOST_RETRY_AFTER_MILLIS = 600_000;

    private static final int MOST_DOUBLINGS = 16;

    /**
     * How long to wait.
     *
     * @param failures in a row, 1 or more
     * @param retryAfterMillis what the receiver asked for, or {@link OutletException#NOT_SAID}
     */
    long millis(int failures, long retryAfterMillis) {
        long limit = Math.min(CAP_MILLIS, BASE_MILLIS << Math.min(failures - 1, MOST_DOUBLINGS));
        long jitter = (long) (random.getAsDouble() * limit);
        return Math.max(jitter, Math.min(retryAfterMillis, MOST_RETRY_AFTER_MILLIS));
    }
}
