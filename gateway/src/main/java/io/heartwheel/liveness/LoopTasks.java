package io.heartwheel.liveness;

import java.util.concurrent.RejectedExecutionException;

/** Tasks of one event loop. */
public interface LoopTasks {
    /**
     * Runs the task on the loop soon. Any thread.
     *
     * @throws RejectedExecutionException if the loop has ended
     */
    void execute(Runnable task);

    /** Runs the task on the loop after every socket that is ready now has been offered to its handler. Loop only. */
    void executeAfterReads(Runnable task);

    /** Runs the task on the loop after that time. Loop only. */
    void executeIn(Runnable task, long nanos);
}
