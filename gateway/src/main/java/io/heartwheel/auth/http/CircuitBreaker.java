package io.heartwheel.auth.http;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Circuit breaker: leaves a service alone that fails, and finds out with one call at a time whether it is back.
 *
 * <pre>
 *            failures in a row, or a share of the window,
 *            or a Retry-After
 *   CLOSED -------------------------------------------------&gt; OPEN
 *     ^                                                      |    ^
 *     | success                          backoff, full jitter|    | failure: the backoff doubles
 *     +---------------------- HALF_OPEN &lt;--------------------+    |
 *                                 +-------------------------------+
 * </pre>
 *
 * A permit names the state in which a call began; what comes of it in a later one is ignored, so a slow answer from before an outage neither ends nor
 * prolongs it. One thread, but {@link #state} and {@link #opened}, which any may call.
 */
final class CircuitBreaker {
    /** Not now. */
    static final long NO_PERMIT = 0;
    /** A service that names a longer time is asked sooner. */
    static final long MOST_RETRY_AFTER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int BUCKETS = 10;
    private static final int MOST_DOUBLINGS = 20;

    private final BreakerSettings settings;
    private final DoubleSupplier random;
    private final long bucketNanos;
    private final long[] calls = new long[BUCKETS];
    private final long[] failures = new long[BUCKETS];

    private volatile BreakerState state = BreakerState.CLOSED;
    private volatile long opened;
    private long permit = 1;
    private long bucketStartNanos;
    private int bucket;
    private int failuresInRow;
    private int opensInRow;
    private long retryAtNanos;

    /** @param random 0 to 1 */
    CircuitBreaker(BreakerSettings settings, DoubleSupplier random, long nowNanos) {
        this.settings = settings;
        this.random = random;
        bucketNanos = Math.max(1, settings.window().toNanos() / BUCKETS);
        bucketStartNanos = nowNanos;
    }

    /** State at the latest call. */
    BreakerState state() {
        return state;
    }

    /** How often it has opened, half-open ones that failed included. */
    long opened() {
        return opened;
    }

    /** How long the service is left alone from now, nanoseconds; 0 if it is not. */
    long waitNanos(long nowNanos) {
        return state == BreakerState.OPEN ? Math.max(0, retryAtNanos - nowNanos) : 0;
    }

    /** Permit for a call that begins now, or {@link #NO_PERMIT}. With one, {@link #succeeded} or {@link #failed} must follow. */
    long permit(long nowNanos) {
        if (state == BreakerState.OPEN && nowNanos - retryAtNanos >= 0) {
            become(BreakerState.HALF_OPEN);
            return permit;
        }
        return state == BreakerState.CLOSED ? permit : NO_PERMIT;
    }

    /** A call has got an answer. */
    void succeeded(long given, long nowNanos) {
        if (given != permit) {
            return;
        }
        failuresInRow = 0;
        if (state == BreakerState.HALF_OPEN) {
            opensInRow = 0;
            Arrays.fill(calls, 0);
            Arrays.fill(failures, 0);
            become(BreakerState.CLOSED);
        }
        count(nowNanos, 0);
    }

    /**
     * A call has got none.
     *
     * @param retryAfterNanos how long the service wants to be left alone, 0 or less if it does not say
     */
    void failed(long given, long nowNanos, long retryAfterNanos) {
        if (given != permit) {
            return;
        }
        failuresInRow++;
        count(nowNanos, 1);
        if (state == BreakerState.HALF_OPEN
                || retryAfterNanos > 0
                || failuresInRow >= settings.failures()
                || isShareReached()) {
            open(nowNanos, retryAfterNanos);
        }
    }

    private boolean isShareReached() {
        long all = Arrays.stream(calls).sum();
        return all >= settings.least() && Arrays.stream(failures).sum() >= settings.share() * all;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void open(long nowNanos, long retryAfterNanos) {
        int doublings = Math.min(opensInRow++, MOST_DOUBLINGS);
        long limitNanos = Math.min(settings.maxBackoff().toNanos(), (long)
                ((double) settings.backoff().toNanos() * (1L << doublings)));
        long jitterNanos = (long) (random.getAsDouble() * limitNanos);
        retryAtNanos = nowNanos + Math.max(jitterNanos, Math.min(retryAfterNanos, MOST_RETRY_AFTER_NANOS));
        failuresInRow = 0;
        opened++;
        become(BreakerState.OPEN);
    }

    private void become(BreakerState next) {
        permit++;
        state = next;
    }

    private void count(long nowNanos, int failed) {
        long passed = Math.max(0, (nowNanos - bucketStartNanos) / bucketNanos);
        for (long i = 0; i < Math.min(passed, BUCKETS); i++) {
            bucket = (bucket + 1) % BUCKETS;
            calls[bucket] = 0;
            failures[bucket] = 0;
        }
        bucketStartNanos += passed * bucketNanos;
        calls[bucket]++;
        failures[bucket] += failed;
    }
}
