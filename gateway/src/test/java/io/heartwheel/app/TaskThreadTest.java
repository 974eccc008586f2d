package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.liveness.ThreadProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Life of a thread that does one task after the other: it is there while there is something to do. */
class TaskThreadTest {
    private final ThreadProgress progress = new ThreadProgress("tasks");

    private static Thread threadOf(TaskThread tasks) throws Exception {
        FutureTask<Thread> asked = new FutureTask<>(Thread::currentThread);
        tasks.execute(asked);
        return asked.get();
    }

    @Test
    void thread_nothingToDo_isNotThere() {
        try (TaskThread tasks = new TaskThread(progress)) {
            assertNull(progress.thread());
        }
    }

    @Test
    void thread_idleForLong_endsAndAnotherDoesWhatComesLater() throws Exception {
        try (TaskThread tasks = new TaskThread(progress, 1)) {
            Thread first = threadOf(tasks);
            first.join();
            assertNull(progress.thread());
            Thread second = threadOf(tasks);
            assertNotSame(first, second);
            assertEquals("tasks", second.getName());
        }
    }

    @Test
    void close_tasksThatWait_areDoneInTheirOrderAndNoMoreAreTaken() throws Exception {
        List<Integer> done = new ArrayList<>();
        CountDownLatch closing = new CountDownLatch(1);
        TaskThread tasks = new TaskThread(progress);
        tasks.execute(() -> {
            try {
                closing.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        for (int i = 0; i < 3; i++) {
            int number = i;
            tasks.execute(() -> done.add(number));
        }
        closing.countDown();
        tasks.close();
        assertEquals(List.of(0, 1, 2), done);
        assertThrows(RejectedExecutionException.class, () -> tasks.execute(() -> {}));
    }
}
