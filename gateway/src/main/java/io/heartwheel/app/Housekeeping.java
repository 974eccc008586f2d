package io.heartwheel.app;

import io.heartwheel.liveness.ThreadProgress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that does once a second what may be late and may wait: looks at the memory, tells the log of what has gathered; another one looks at files. A file of
 * the kernel's or a log that nobody reads can hold it up, so it is neither the wheel's nor an event loop's; and it is one thread, so that an idle process wakes
 * once for all of it. The thread is one of its own, or lent by who has nothing else to do: main, which waits for the end of the gateway.
 *
 * <p>A task that fails is told and tried again a second later. {@link #serve} on the lent thread, all else on any, once.
 */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private static final long PERIOD_MILLIS = 1_000;
    private static final long MOST_CLOSE_MILLIS = 1_000;

    private final ThreadProgress progress;
    private final long periodMillis;
    private final List<Runnable> tasks;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile boolean begun;

    /**
     * Nothing is done until {@link #begin} or {@link #serve}.
     *
     * @param tasks in this order; the first time a second later
     */
    Housekeeping(ThreadProgress progress, Runnable... tasks) {
        this(progress, PERIOD_MILLIS, tasks);
    }

    Housekeeping(ThreadProgress progress, long periodMillis, Runnable... tasks) {
        this.progress = progress;
        this.periodMillis = periodMillis;
        this.tasks = List.of(tasks);
    }

    /** Starts a thread for it. */
    Housekeeping begin() {
        begun = true;
        progress.start(this::run);
        return this;
    }

    /** Does it on the caller's thread, which has its name meanwhile, until it is closed; returns at once if it has a thread of its own. */
    void serve() {
        if (!begun) {
            begun = true;
            Thread lent = Thread.currentThread();
            String before = lent.getName();
            lent.setName(progress.name());
            try {
                run();
            } finally {
                lent.setName(before);
            }
        }
    }

    private void run() {
        try {
            while (!closed.await(periodMillis, TimeUnit.MILLISECONDS)) {
                progress.works();
                tasks.forEach(Housekeeping::attempt);
                progress.rests();
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } finally {
            left.countDown();
        }
    }

    /** An error, want of memory before all, may be over in a second as well: who looked at the memory no more would refuse nobody. */
    static void attempt(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            tell(failure);
        }
    }

    private static void tell(Throwable failure) {
        try {
            LOG.error("what is done once a second failed and is tried again", failure);
        } catch (OutOfMemoryError none) {
            // not even for the line: the next turn may find more
        }
    }

    /** Ends it, and waits for the task at hand; not for one that stands still. */
    @Override
    public void close() {
        closed.countDown();
        try {
            if (begun && !left.await(MOST_CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug("{} stands still", progress.name());
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
