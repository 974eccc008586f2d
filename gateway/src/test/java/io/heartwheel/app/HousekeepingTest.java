package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.ThreadProgress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tasks of the once-a-second thread, some of which fail. */
class HousekeepingTest {
    @Test
    void tasks_oneFails_theOthersGoOnAndItIsTriedAgain() throws Exception {
        CountDownLatch tries = new CountDownLatch(2);
        CountDownLatch others = new CountDownLatch(2);
        Runnable failing = () -> {
            tries.countDown();
            throw new IllegalStateException("planted");
        };
        try (Housekeeping turns = new Housekeeping(new ThreadProgress("turns"), 1, failing, others::countDown)) {
            turns.begin();
            assertTrue(tries.await(30, TimeUnit.SECONDS));
            assertTrue(others.await(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void serve_lentThread_doesTheTasksUntilItIsClosed() throws Exception {
        CountDownLatch turned = new CountDownLatch(1);
        StringBuilder name = new StringBuilder();
        Housekeeping turns = new Housekeeping(new ThreadProgress("turns"), 1, () -> {
            if (turned.getCount() > 0) {
                name.append(Thread.currentThread().getName());
                turned.countDown();
            }
        });
        Thread lender = new Thread(turns::serve, "lender");
        lender.start();
        assertTrue(turned.await(30, TimeUnit.SECONDS));
        turns.close();
        lender.join();
        assertEquals("turns", name.toString());
    }

    @Test
    void serve_closedBefore_returns() {
        Housekeeping turns = new Housekeeping(new ThreadProgress("turns"), 1, () -> {});
        turns.close();
        turns.serve();
        assertNotEquals("turns", Thread.currentThread().getName());
    }

    @Test
    void attempt_outOfMemory_isNotTheEndOfTheThread() {
        assertDoesNotThrow(() -> Housekeeping.attempt(() -> {
            throw new OutOfMemoryError("planted");
        }));
    }
}
