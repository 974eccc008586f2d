package io.heartwheel.app;

import io.heartwheel.liveness.ThreadProgress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that does one task after the other, in their order. It begins with the first task, ends when none has come for a while, and begins anew with the next.
 * Any thread hands in; {@link #close} once, from another.
 */
final class TaskThread implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskThread.class);
    private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(10);
    private static final long LONGEST_CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final ThreadProgress progress;
    private final long idleMillis;
    private volatile boolean closed;
    /** Null: it has nothing to do. Guarded by this. */
    private @Nullable Thread thread;

    /** @param progress of the thread, which is not started yet */
    TaskThread(ThreadProgress progress) {
        this(progress, IDLE_MILLIS);
    }

    TaskThread(ThreadProgress progress, long idleMillis) {
        this.progress = progress;
        this.idleMillis = idleMillis;
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (closed) {
            throw new RejectedExecutionException(progress.name() + " has ended");
        }
        if (thread == null) {
            thread = progress.start(this::serve, () -> !tasks.isEmpty());
        }
        tasks.add(task);
    }

    private void serve() {
        while (!closed || !tasks.isEmpty()) {
            try {
                progress.rests();
                Runnable task = tasks.poll(idleMillis, TimeUnit.MILLISECONDS);
                if (task != null) {
                    progress.works();
                    task.run();
                } else if (leaves()) {
                    return;
                }
            } catch (InterruptedException e) {
                closed = true;
            } catch (RuntimeException fault) {
                LOG.error("a task of {} failed", progress.name(), fault);
            }
        }
    }

    private synchronized boolean leaves() {
        boolean nothing = tasks.isEmpty() && !closed;
        if (nothing) {
            progress.leaves();
            thread = null;
        }
        return nothing;
    }

    /** Does what waits, and ends. */
    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            closed = true;
            tasks.add(() -> {}); // wakes it
            last = thread;
        }
        try {
            if (last != null) {
                last.join(LONGEST_CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
