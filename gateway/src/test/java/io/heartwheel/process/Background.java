package io.heartwheel.process;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Work of a test on a thread of its own: the common pool has one fewer than the machine has processors. */
final class Background {
    private Background() {}

    interface Work {
        void run() throws Exception;
    }

    static <T> FutureTask<T> run(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    static FutureTask<Void> run(Work work) {
        return run(() -> {
            work.run();
            return null;
        });
    }
}
