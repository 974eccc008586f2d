package io.heartwheel.wheel;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/**
 * {@code java.util.Timer}. A cancelled task stays in its heap until it would be due, or until {@code purge}, which looks at all and which hardly anyone
 * calls: so the heap grows while cancelling is measured, here as in use.
 */
final class JdkTimer extends Contender {

    /** A timeout; usable once. */
    private static final class Task extends TimerTask {
        @Override
        public void run() {
            fired++;
        }
    }

    private Timer timer = new Timer(Workers.PREFIX + "idle", true);
    private Task[] tasks = {};

    @Override
    void prepare(int pending) {
        tasks = new Task[pending];
    }

    @Override
    void open(boolean live) {
        timer.cancel();
        timer = new Timer(Workers.PREFIX + "timer", true);
    }

    @Override
    void arm(int i, long delayNanos) {
        tasks[i] = new Task();
        timer.schedule(tasks[i], TimeUnit.NANOSECONDS.toMillis(delayNanos));
    }

    @Override
    void rearm(int i, long delayNanos) {
        tasks[i].cancel();
        arm(i, delayNanos);
    }

    @Override
    void extra(long delayNanos) {
        Task task = new Task();
        timer.schedule(task, TimeUnit.NANOSECONDS.toMillis(delayNanos));
        task.cancel();
    }

    @Override
    public void close() {
        timer.cancel();
    }
}
