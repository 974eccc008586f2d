package io.heartwheel.auth.jwt;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Schedule of fetches: when the next one is due, and until when the keys of the last good one hold. Knows no clock and no network. One thread, or a lock.
 *
 * <pre>
 *   fetched          1/2 lifetime     lifetime                          lifetime + outage
 *      |--------------[fetch]------------|------------------------------------|
 *      keys are in force ................ and stay so while fetching fails .... none are
 * </pre>
 *
 * The lifetime is the issuer's {@code max-age}, at least {@value #LEAST_LIFETIME_SECONDS} s, at most the configured one. A fetch comes at 40 to 50 % of it, at
 * random, so that gateways which started together do not ask together. After a failure they come at random within a limit that doubles (full jitter).
 */
final class KeySchedule {
    /** In place of {@code max-age}: the issuer said none. */
    static final long NOT_SAID = -1;
    /** Between two fetches for unknown key ids. */
    static final long UNKNOWN_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

    private static final int LEAST_LIFETIME_SECONDS = 30;
    private static final long LEAST_LIFETIME_NANOS = LEAST_LIFETIME_SECONDS * 1_000_000_000L;
    private static final long LEAST_BACKOFF_NANOS = 200_000_000;
    private static final long FIRST_BACKOFF_NANOS = 1_000_000_000;
    private static final long MOST_BACKOFF_NANOS = 60_000_000_000L;
    private static final int MOST_DOUBLINGS = 6;

    private final long refreshNanos;
    private final long outageNanos;
    private final DoubleSupplier random;

    private long nextNanos;
    private boolean underWay;
    private int failures;
    private boolean unknownAsked;
    /** Of the latest fetch for unknown key ids. */
    private long unknownNanos;
    /** Key ids were asked for in the pause after it: the fetch at its end is for them. */
    private boolean unknownWaits;

    /**
     * The first fetch is due at once.
     *
     * @param random 0 to 1
     */
    KeySchedule(long nowNanos, Duration refresh, Duration outage, DoubleSupplier random) {
        refreshNanos = refresh.toNanos();
        outageNanos = outage.toNanos();
        this.random = random;
        nextNanos = nowNanos;
    }

    boolean isDue(long nowNanos) {
        return !underWay && nowNanos - nextNanos >= 0;
    }

    /** When the next fetch is due, if none is under way. */
    long nextNanos() {
        return nextNanos;
    }

    /** Whether the last fetch failed. */
    boolean isFailing() {
        return failures > 0;
    }

    void started(long nowNanos) {
        underWay = true;
        if (unknownWaits) {
            unknownWaits = false;
            unknownNanos = nowNanos;
        }
    }

    /**
     * A fetch brought keys.
     *
     * @param maxAgeNanos how long the issuer says that they hold, or {@link #NOT_SAID}
     * @return until when they are in force if no other fetch brings any
     */
    long fetched(long nowNanos, long maxAgeNanos) {
        underWay = false;
        failures = 0;
        long lifetime = maxAgeNanos == NOT_SAID
                ? refreshNanos
                : Math.min(refreshNanos, Math.max(LEAST_LIFETIME_NANOS, maxAgeNanos));
        nextNanos = nowNanos + (long) (lifetime * (0.5 - 0.1 * random.getAsDouble()));
        return nowNanos + lifetime + outageNanos;
    }

    /** A fetch brought none. */
    void failed(long nowNanos) {
        underWay = false;
        long limit = Math.min(MOST_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(failures, MOST_DOUBLINGS));
        failures++;
        nextNanos = nowNanos + Math.max(LEAST_BACKOFF_NANOS, (long) (random.getAsDouble() * limit));
    }

    /**
     * A token names a key that is not among those in force.
     *
     * @return whether a fetch is under way or due now, be it for this: then it is worth waiting for; else one comes at the end of the pause
     */
    boolean unknownKey(long nowNanos) {
        if (underWay || isDue(nowNanos)) {
            return true;
        }
        if (unknownAsked && nowNanos - unknownNanos < UNKNOWN_PAUSE_NANOS) {
            long pauseEndNanos = unknownNanos + UNKNOWN_PAUSE_NANOS;
            nextNanos = nextNanos - pauseEndNanos > 0 ? pauseEndNanos : nextNanos;
            unknownWaits = true;
            return false;
        }
        unknownAsked = true;
        unknownNanos = nowNanos;
        nextNanos = nowNanos;
        return true;
    }
}
