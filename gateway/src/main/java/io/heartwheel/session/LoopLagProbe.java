package io.heartwheel.session;

import java.util.function.LongSupplier;

/**
 * Measures how late an event loop runs what is due: scheduled on it at a fixed rate, it compares each run with the one expected. What it finds
 * stands in {@link LoopStats}, beside the time when its next run is due: a loop that is stuck runs nothing, and is seen by that time passing.
 *
 * <p>It knows no more of the schedule than its period. The first run counts as punctual; one that comes before the expected time proves that
 * the reference was itself late, and becomes the new one. So the figure is right from the first punctual run on.
 *
 * <p>Owner: the loop. {@link #lastRunNanos} is read by any thread, a plain volatile read.
 */
public final class LoopLagProbe implements Runnable {
    private final LoopStats stats;
    private final LongSupplier nanoClock;
    private final long periodNanos;

    // the loop's
    private boolean anchored;
    private long dueNanos;

    private volatile long lastRunNanos;

    /** @param periodNanos between two runs, more than 0 */
    public LoopLagProbe(LoopStats stats, LongSupplier nanoClock, long periodNanos) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("periodNanos = " + periodNanos + ": need more than 0");
        }
        this.stats = stats;
        this.nanoClock = nanoClock;
        this.periodNanos = periodNanos;
        lastRunNanos = nanoClock.getAsLong();
        stats.probeDue(lastRunNanos + periodNanos);
    }

    /** Loop only. */
    @Override
    public void run() {
        long nowNanos = nanoClock.getAsLong();
        if (!anchored || nowNanos - dueNanos < 0) {
            anchored = true;
            dueNanos = nowNanos;
        }
        stats.lag(nowNanos - dueNanos);
        dueNanos += periodNanos;
        stats.probeDue(dueNanos);
        lastRunNanos = nowNanos;
    }

    /** When it last ran, monotonic nanoseconds; before the first run, when it was made. */
    public long lastRunNanos() {
        return lastRunNanos;
    }
}
