package io.heartwheel.liveness;

import java.util.Queue;

/** Tasks of a loop without a thread: they wait until they are run. For tests, jcstress and benchmarks; any thread hands in if the queue takes it from any. */
public final class QueuedTasks implements LoopTasks {
    private final Queue<Runnable> tasks;

    public QueuedTasks(Queue<Runnable> tasks) {
        this.tasks = tasks;
    }

    /** Runs all that wait, and what they hand in. */
    public void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void executeAfterReads(Runnable task) {
        execute(task);
    }

    @Override
    public void executeIn(Runnable task, long nanos) {
        throw new AssertionError("nobody asks for a time");
    }
}
