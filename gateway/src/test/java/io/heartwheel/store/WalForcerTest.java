package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log is forced behind commits. */
@Timeout(60)
class WalForcerTest {
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final CountDownLatch failing = new CountDownLatch(1);

    private final WalForcer.Force force = new WalForcer.Force() {
        @Override
        public void force() throws IOException {
            calls.add("force");
            if (failing.getCount() == 0) {
                throw new IOException("no");
            }
        }

        @Override
        public void close() {
            calls.add("close");
        }
    };

    @Test
    void committed_eachTime_isForced() throws InterruptedException {
        try (WalForcer forcer = new WalForcer(force, 1)) {
            for (int i = 0; i < 5; i++) {
                forcer.committed();
                assertEquals("force", calls.poll(30, TimeUnit.SECONDS));
            }
            assertNull(forcer.failure());
        }
        assertEquals("close", calls.poll());
        assertTrue(calls.isEmpty(), "nothing was committed since");
    }

    @Test
    void force_fails_isToldOnce() throws InterruptedException {
        failing.countDown();
        try (WalForcer forcer = new WalForcer(force, 1)) {
            forcer.committed();
            IOException told = forcer.failure();
            while (told == null) { // the thread calls, then notes the failure
                Thread.onSpinWait();
                told = forcer.failure();
            }
            assertEquals("no", told.getMessage());
            assertNull(forcer.failure());
        }
    }
}
