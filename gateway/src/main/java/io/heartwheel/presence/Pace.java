package io.heartwheel.presence;

import java.util.concurrent.TimeUnit;

/** So many a second, in steps: what was not used is kept for a tenth of a second at most. One thread. */
final class Pace {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long KEPT_NANOS = SECOND_NANOS / 10;

    private final int rate;
    /** Since when nothing was used. */
    private long sinceNanos;

    /** @param rate a second, 1 or more */
    Pace(int rate, long nowNanos) {
        this.rate = rate;
        sinceNanos = nowNanos;
    }

    /** How many there may be now. */
    int mayNow(long nowNanos) {
        long kept = Math.max(KEPT_NANOS, SECOND_NANOS / rate);
        if (nowNanos - sinceNanos > kept) {
            sinceNanos = nowNanos - kept;
        }
        return (int) ((nowNanos - sinceNanos) * rate / SECOND_NANOS);
    }

    /** So many were used. */
    void used(int count) {
        sinceNanos += count * SECOND_NANOS / rate;
    }
}
