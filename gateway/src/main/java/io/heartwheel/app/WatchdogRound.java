package io.heartwheel.app;

import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Watchdog that is fed by what it watches: a token goes from the wheel through every event loop, each of which hands it on, and the last one feeds.
 *
 * <pre>
 *            deadline                task            task              task
 *   armed -----------&gt; wheel thread ------&gt; loop 0 ------&gt; loop 1 ... ------&gt; last loop: feed, arm again
 * </pre>
 *
 * A wheel or a loop that stands still keeps the token, and nothing is fed. There is no clock here to be compared and no limit to be chosen: how long
 * is too long is the watchdog's to say. A round that took longer than the period is followed by the next at once.
 *
 * <p>Owner: whoever has the token. It is handed on by the wheel and by the loops' task queues, which order the accesses. Takes one handle of the
 * wheel.
 */
final class WatchdogRound implements Timed {
    private final TimingWheel wheel;
    private final List<Executor> loops;
    private final LongSupplier nanoClock;
    private final long periodNanos;
    private final Runnable feed;
    private final Runnable step = this::step;
    private final int handle;

    // the token's
    private int next;
    private long begunNanos;

    /** Read by the wheel's thread at any time. */
    private volatile long deadlineNanos;

    /**
     * Begins the first round one period from now.
     *
     * @param loops one for each event loop; rejects when that has ended
     * @param nanoClock the wheel's clock
     * @param periodNanos from the begin of a round to that of the next, more than 0
     * @param feed on the last loop, quick
     * @throws io.heartwheel.wheel.WheelFullException if the wheel has no room
     */
    WatchdogRound(TimingWheel wheel, List<Executor> loops, LongSupplier nanoClock, long periodNanos, Runnable feed) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("periodNanos = " + periodNanos + ": need more than 0");
        }
        this.wheel = wheel;
        this.loops = loops;
        this.nanoClock = nanoClock;
        this.periodNanos = periodNanos;
        this.feed = feed;
        deadlineNanos = Deadline.after(nanoClock.getAsLong(), periodNanos);
        handle = wheel.register(this);
        wheel.arm(handle, deadlineNanos);
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire(long nowNanos) {
        begunNanos = nowNanos;
        next = 0;
        handOn();
    }

    private void step() {
        if (next < loops.size()) {
            handOn();
            return;
        }
        feed.run();
        long nowNanos = nanoClock.getAsLong();
        long dueNanos = begunNanos + periodNanos;
        deadlineNanos = Deadline.after(dueNanos - nowNanos < 0 ? nowNanos : dueNanos, 0);
        wheel.arm(handle, deadlineNanos);
    }

    private void handOn() {
        try {
            loops.get(next++).execute(step);
        } catch (RejectedExecutionException loopsHaveEnded) {
            // the last round: the gateway is on its way out
        }
    }
}
