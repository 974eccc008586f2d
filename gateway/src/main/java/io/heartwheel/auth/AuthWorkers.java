package io.heartwheel.auth;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for what takes a method of authentication too long for an event loop: signatures, before all. At most {@value #MOST_WAITING} tasks wait; a
 * further one is rejected, so that a storm of devices makes answers scarce and not late. Threads start with the first tasks. Any thread.
 */
public final class AuthWorkers implements Executor, AutoCloseable {
    /** Tasks that may wait for a thread. */
    public static final int MOST_WAITING = 8_192;

    private final ThreadPoolExecutor pool;

    /** @param threads 1 or more; 0: half of the processors, and at least one */
    public AuthWorkers(int threads) {
        this(threads, MOST_WAITING);
    }

    AuthWorkers(int threads, int mostWaiting) {
        int count = threads > 0 ? threads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        AtomicInteger started = new AtomicInteger();
        pool = new ThreadPoolExecutor(
                count, count, 0, TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(mostWaiting), task -> {
                    Thread thread = new Thread(task, "heartwheel-auth-" + started.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** @throws java.util.concurrent.RejectedExecutionException if as many wait as may, or it is closed */
    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Threads when all of them have work. */
    int threads() {
        return pool.getMaximumPoolSize();
    }

    /** Ends the threads; what waits is not done. */
    @Override
    public void close() {
        pool.shutdownNow();
    }
}
