package io.heartwheel.wheel;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** {@code ScheduledThreadPoolExecutor} of one thread that removes what is cancelled. */
final class JdkPool extends Contender {

    private static final Runnable TASK = () -> fired++;

    private ScheduledThreadPoolExecutor pool = newPool();
    private ScheduledFuture<?>[] futures = {};

    private static ScheduledThreadPoolExecutor newPool() {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1, threads());
        pool.setRemoveOnCancelPolicy(true);
        return pool;
    }

    @Override
    void prepare(int pending) {
        futures = new ScheduledFuture<?>[pending];
    }

    @Override
    void open(boolean live) {
        pool.shutdownNow();
        pool = newPool();
    }

    @Override
    void arm(int i, long delayNanos) {
        futures[i] = pool.schedule(TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void rearm(int i, long delayNanos) {
        futures[i].cancel(false);
        futures[i] = pool.schedule(TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void extra(long delayNanos) {
        pool.schedule(TASK, delayNanos, TimeUnit.NANOSECONDS).cancel(false);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
