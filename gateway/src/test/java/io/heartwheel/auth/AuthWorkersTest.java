package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AuthWorkersTest {
    @Test
    void execute_moreThanMayWait_isRejected() throws Exception {
        try (AuthWorkers workers = new AuthWorkers(1, 2)) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            AtomicReference<Thread> ran = new AtomicReference<>();
            workers.execute(() -> {
                ran.set(Thread.currentThread());
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
            });
            assertTrue(begun.await(10, TimeUnit.SECONDS));
            workers.execute(() -> {});
            workers.execute(() -> {});
            assertThrows(RejectedExecutionException.class, () -> workers.execute(() -> {}));
            go.countDown();
            assertEquals("heartwheel-auth-1", ran.get().getName());
            assertTrue(ran.get().isDaemon());
        }
    }

    @Test
    void execute_closed_isRejected() {
        AuthWorkers workers = new AuthWorkers(1);
        workers.close();

        assertThrows(RejectedExecutionException.class, () -> workers.execute(() -> {}));
    }

    @Test
    void threads_zero_isHalfOfTheProcessors() {
        try (AuthWorkers workers = new AuthWorkers(0)) {
            assertEquals(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), workers.threads());
        }
        try (AuthWorkers workers = new AuthWorkers(3)) {
            assertEquals(3, workers.threads());
        }
    }
}
