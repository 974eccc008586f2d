package io.heartwheel.presence;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that gives snapshots and the search for lost devices their time. While neither has anything to do it sleeps, and no timer wakes it. Start and
 * {@link #close} on one thread.
 */
public final class PresenceThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PresenceThread.class);

    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_CLOSE_MILLIS = 1_000;

    private final LongSupplier nanoClock;
    private final List<Step> steps;
    private final Thread thread = new Thread(this::run, "heartwheel-presence");
    /** Guarded by this. */
    private boolean woken;

    private boolean closed;

    private PresenceThread(LongSupplier nanoClock, List<Step> steps) {
        this.nanoClock = nanoClock;
        this.steps = steps;
        thread.setDaemon(true);
    }

    /** For snapshots alone, where no store remembers who was connected. */
    public static PresenceThread start(LongSupplier nanoClock, Snapshots snapshots) {
        return start(nanoClock, snapshots, List.of(snapshots));
    }

    /** For both. */
    public static PresenceThread start(LongSupplier nanoClock, Snapshots snapshots, LostDevices lost) {
        return start(nanoClock, snapshots, List.of(snapshots, lost));
    }

    private static PresenceThread start(LongSupplier nanoClock, Snapshots snapshots, List<Step> steps) {
        PresenceThread presence = new PresenceThread(nanoClock, steps);
        snapshots.onAsked(presence::wake);
        presence.thread.start();
        return presence;
    }

    private synchronized void wake() {
        woken = true;
        notifyAll();
    }

    private void run() {
        try {
            long pauseNanos;
            do {
                pauseNanos = Step.IDLE_NANOS;
                for (Step each : steps) {
                    pauseNanos = Math.min(pauseNanos, attempt(each));
                }
            } while (sleep(pauseNanos));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private long attempt(Step step) {
        try {
            return step.step(nanoClock.getAsLong());
        } catch (RuntimeException failure) {
            LOG.error("presence: a step failed and is tried again", failure);
            return AFTER_FAILURE_NANOS;
        }
    }

    /** False if it is the end. */
    private synchronized boolean sleep(long nanos) throws InterruptedException {
        if (nanos == Step.IDLE_NANOS) {
            while (!woken && !closed) {
                wait();
            }
        } else if (!woken && !closed) {
            wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        }
        woken = false;
        return !closed;
    }

    /** Ends the thread and waits for the step at hand. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join(MOST_CLOSE_MILLIS);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
