package io.heartwheel.liveness;

import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Probe of one event loop: a task that runs on it every {@link Stalls#PERIOD_NANOS} while the loop has something to do, says that the loop turns, and
 * measures how late it was run.
 *
 * <pre>
 *   a read, a flush, an expiry --&gt; running --(100 ms without any of them, and nobody needs it)--&gt; idle: nothing wakes the loop
 *                                     ^                                                             |
 *                                     +---------------- the next of them, or somebody who asks -----+
 * </pre>
 *
 * A loop without anything to do need not prove that it has nothing to do. It goes on while there is a session with a deadline so short that the coarser
 * view of {@link WheelPulse} will not do ({@link Stalls#exact}). What it finds stands in {@link LoopLag}, beside the time when its next run is due: a loop
 * that is stuck runs nothing, and is seen by that time passing. A loop that is idle is asked when somebody wants to know ({@link #lastSeenNanos}).
 *
 * <p>Owner: the loop, which alone schedules and runs it. {@link #lastSeenNanos} is for any thread; what it reads is volatile, or a cell of {@link LoopLag}.
 */
public final class LoopLagProbe implements Runnable {
    private final LoopLag lag;
    private final Stalls stalls;
    private final WheelPulse witness;
    private final LongSupplier nanoClock;
    private final LoopTasks loop;

    // the loop's
    private boolean turnedSince;
    private long dueNanos;

    private volatile boolean running;
    private volatile long lastRunNanos;

    /**
     * Idle, until the loop turns.
     *
     * @param witness what the process knows of its threads while the loop is idle
     */
    public LoopLagProbe(LoopLag lag, Stalls stalls, WheelPulse witness, LongSupplier nanoClock, LoopTasks loop) {
        this.lag = lag;
        this.stalls = stalls;
        this.witness = witness;
        this.nanoClock = nanoClock;
        this.loop = loop;
    }

    /** Begins its work. Loop only, once. */
    public void begin() {
        stalls.probedBy(this);
        stalls.turned(nanoClock.getAsLong());
    }

    /** Whether the loop is seen every {@link Stalls#PERIOD_NANOS}. Loop only. */
    boolean isRunning() {
        return running;
    }

    WheelPulse witness() {
        return witness;
    }

    /** The loop turns for something. Loop only; a flag, unless it was idle. */
    void turned(long nowNanos) {
        if (running) {
            turnedSince = true;
        } else {
            lastRunNanos = nowNanos;
            running = true;
            schedule(nowNanos);
        }
    }

    /** Somebody needs it from now on. Loop only. */
    void needed() {
        if (!running) {
            stalls.turned(nanoClock.getAsLong());
        }
    }

    private void schedule(long nowNanos) {
        turnedSince = false;
        dueNanos = nowNanos + Stalls.PERIOD_NANOS;
        lag.probeDue(dueNanos);
        loop.executeIn(this, Stalls.PERIOD_NANOS);
    }

    /** Loop only. */
    @Override
    public void run() {
        long nowNanos = nanoClock.getAsLong();
        boolean goesOn = turnedSince || stalls.isExact();
        lag.waited(Math.max(0, nowNanos - dueNanos));
        stalls.turned(nowNanos);
        lastRunNanos = nowNanos;
        if (goesOn) {
            schedule(nowNanos);
        } else {
            running = false;
            lag.noProbeDue();
        }
    }

    /**
     * When the loop was last seen turning, monotonic nanoseconds; of one that is idle, now, or when it was asked if it has not answered since. Asks it then.
     * Any thread.
     */
    public long lastSeenNanos() {
        if (running) {
            return lastRunNanos;
        }
        long nowNanos = nanoClock.getAsLong();
        if (lag.ask(nowNanos)) {
            try {
                loop.execute(this::answer);
            } catch (RejectedExecutionException ended) {
                // nobody waits for a loop that has ended
                lag.answered(nowNanos);
            }
        }
        return lag.askedNanos(nowNanos);
    }

    private void answer() {
        long nowNanos = nanoClock.getAsLong();
        stalls.turned(nowNanos, lag.askedNanos(nowNanos));
        lag.answered(nowNanos);
    }
}
