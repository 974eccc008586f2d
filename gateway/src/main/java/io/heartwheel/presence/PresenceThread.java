package io.heartwheel.presence;

import io.heartwheel.liveness.ThreadProgress;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that gives snapshots and the search for lost devices their time. While neither has anything to do it sleeps, and no timer wakes it; where no store
 * remembers who was connected, it begins with the first snapshot that is asked for. Start and {@link #close} on one thread, {@link #wake} on any.
 */
public final class PresenceThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PresenceThread.class);

    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_CLOSE_MILLIS = 1_000;

    private final LongSupplier nanoClock;
    private final List<Step> steps;
    private final ThreadProgress progress;
    private final Semaphore woken = new Semaphore(0);
    private volatile boolean closed;
    /** Guarded by this. */
    private boolean begun;

    private PresenceThread(LongSupplier nanoClock, ThreadProgress progress, List<Step> steps) {
        this.nanoClock = nanoClock;
        this.progress = progress;
        this.steps = steps;
    }

    /**
     * Starts it, now or when it is needed.
     *
     * @param lost null: no store remembers who was connected
     */
    public static PresenceThread start(
            LongSupplier nanoClock, ThreadProgress progress, Snapshots snapshots, @Nullable LostDevices lost) {
        List<Step> steps = lost == null ? List.of(snapshots) : List.of(snapshots, lost);
        PresenceThread presence = new PresenceThread(nanoClock, progress, steps);
        snapshots.onAsked(presence::wake);
        if (lost != null) {
            presence.begin();
        }
        return presence;
    }

    private synchronized void begin() {
        if (!begun && !closed) {
            progress.start(this::run, () -> woken.availablePermits() > 0);
            begun = true;
        }
    }

    private void wake() {
        begin();
        woken.release();
    }

    private void run() {
        try {
            long pauseNanos;
            do {
                pauseNanos = Step.IDLE_NANOS;
                progress.works();
                for (Step each : steps) {
                    pauseNanos = Math.min(pauseNanos, attempt(each));
                }
                progress.rests();
            } while (sleep(pauseNanos));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private long attempt(Step step) {
        try {
            return step.step(nanoClock.getAsLong());
        } catch (RuntimeException | Error failure) {
            LOG.error("presence: a step failed and is tried again", failure);
            return AFTER_FAILURE_NANOS;
        }
    }

    /** Until it is woken, or for so long; false if it is the end. */
    private boolean sleep(long nanos) throws InterruptedException {
        boolean wasWoken = woken.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        LOG.trace("woken: {}", wasWoken);
        woken.drainPermits();
        return !closed;
    }

    /** Ends the thread and waits for the step at hand. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        woken.release();
        Thread thread = progress.thread();
        try {
            if (thread != null) {
                thread.join(MOST_CLOSE_MILLIS);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
