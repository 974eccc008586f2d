package io.heartwheel.app;

import io.heartwheel.liveness.ThreadProgress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Thread that does one task after the other, in their order. Any thread hands in; {@link #close} once, from another. */
final class TaskThread implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskThread.class);
    private static final long LONGEST_CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final ThreadProgress progress;
    private final Thread thread;
    private volatile boolean closed;

    /** @param progress of the thread, which is not started yet */
    TaskThread(ThreadProgress progress) {
        this.progress = progress;
        thread = progress.start(this::serve, () -> !tasks.isEmpty());
    }

    @Override
    public void execute(Runnable task) {
        if (closed) {
            throw new RejectedExecutionException(progress.name() + " has ended");
        }
        tasks.add(task);
    }

    private void serve() {
        while (!closed || !tasks.isEmpty()) {
            try {
                progress.rests();
                Runnable task = tasks.take();
                progress.works();
                task.run();
            } catch (InterruptedException e) {
                closed = true;
            } catch (RuntimeException fault) {
                LOG.error("a task of {} failed", progress.name(), fault);
            }
        }
    }

    /** Does what waits, and ends. */
    @Override
    public void close() {
        closed = true;
        tasks.add(() -> {}); // wakes it
        try {
            thread.join(LONGEST_CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
