package io.heartwheel.metrics;

import java.util.function.LongSupplier;

/**
 * The greatest value of the last minute or so: of the half minute that runs and the one before.
 *
 * <pre>
 *   |--- before ---|--- current ---&gt; now          worst = the greater of both
 * </pre>
 *
 * <p>Any thread notes and reads. Takes a lock and allocates only when a value is the greatest of its half or the first.
 */
final class RecentMaximum {
    private record Halves(long index, long current, long before) {
        Halves at(long later) {
            if (later <= index) {
                return this; // a clock that was read late counts with the half that runs
            }
            return new Halves(later, 0, later == index + 1 ? current : 0);
        }

        Halves with(long value) {
            return new Halves(index, Math.max(value, current), before);
        }
    }

    private final LongSupplier nanoClock;
    private final long halfNanos;
    private final long startNanos;

    /** Written under the lock. */
    private volatile Halves halves = new Halves(0, 0, 0);

    /** @param halfNanos length of a half, more than 0 */
    RecentMaximum(LongSupplier nanoClock, long halfNanos) {
        this.nanoClock = nanoClock;
        this.halfNanos = halfNanos;
        startNanos = nanoClock.getAsLong();
    }

    /** @param value 0 or more */
    void note(long value) {
        long index = index();
        Halves seen = halves;
        if (index > seen.index || value > seen.current) {
            synchronized (this) {
                halves = halves.at(index).with(value);
            }
        }
    }

    /** 0 if nothing was noted. */
    long worst() {
        Halves now = halves.at(index());
        return Math.max(now.current, now.before);
    }

    private long index() {
        return (nanoClock.getAsLong() - startNanos) / halfNanos;
    }
}
