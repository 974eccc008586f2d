package io.heartwheel.wheel;

import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Kafka's hierarchical wheel, {@code SystemTimer} of 1 ms x 20, on real time, with a thread that advances its clock as the broker's does. A task
 * knows its delay, so each arming makes a task and an entry for it. The thread that runs expired tasks is counted with the one that finds them.
 */
final class KafkaWheel extends Contender {

    /** A timeout. */
    private static final class Task extends TimerTask {
        Task(long delayMillis) {
            super(delayMillis);
        }

        @Override
        public void run() {
            fired++;
        }
    }

    private static final long POLL_MILLIS = 200;

    private SystemTimer timer = newTimer();
    private Task[] tasks = {};
    private volatile boolean closed;

    private static SystemTimer newTimer() {
        return new SystemTimer(Workers.PREFIX + "kafka", 1, 20, TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    @Override
    void prepare(int pending) {
        tasks = new Task[pending];
    }

    @Override
    void open(boolean live) {
        threads().newThread(this::advance).start();
    }

    private void advance() {
        try {
            while (!closed) {
                timer.advanceClock(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void arm(int i, long delayNanos) {
        Task task = new Task(TimeUnit.NANOSECONDS.toMillis(delayNanos));
        tasks[i] = task;
        timer.add(task);
    }

    @Override
    void rearm(int i, long delayNanos) {
        tasks[i].cancel();
        arm(i, delayNanos);
    }

    @Override
    void extra(long delayNanos) {
        Task task = new Task(TimeUnit.NANOSECONDS.toMillis(delayNanos));
        timer.add(task);
        task.cancel();
    }

    @Override
    public void close() {
        closed = true;
        sleepMillis(2 * POLL_MILLIS);
        timer.close();
    }
}
