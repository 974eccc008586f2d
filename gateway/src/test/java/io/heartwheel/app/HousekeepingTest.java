package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
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
            assertTrue(tries.await(30, TimeUnit.SECONDS));
            assertTrue(others.await(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void attempt_outOfMemory_isNotTheEndOfTheThread() {
        assertDoesNotThrow(() -> Housekeeping.attempt(() -> {
            throw new OutOfMemoryError("planted");
        }));
    }
}
