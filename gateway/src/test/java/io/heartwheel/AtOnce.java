package io.heartwheel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that begin together. */
public final class AtOnce {
    private AtOnce() {}

    /** Task of each of them. */
    @FunctionalInterface
    public interface Task {
        void run(int thread) throws Exception;
    }

    /** Runs it on so many threads, each with its number from 0 on, and waits for all. Fails if one of them does. */
    public static void run(int threads, Task task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier begin = new CyclicBarrier(threads);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                ends.add(pool.submit(() -> {
                    begin.await();
                    task.run(number);
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
