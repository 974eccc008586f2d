package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that await, complete, check and cancel against a turning one, with exact accounts: every future ends once, and nothing is left. */
@Timeout(120)
class PendingResultsStressTest {

    private static final int THREADS = 3;
    private static final int OPERATIONS = 60_000;
    private static final int KEYS = 8;

    private final AtomicLong clock = new AtomicLong();
    private final TimingWheel wheel = new TimingWheel(100, 8, 2_000, 0);
    private final PendingResults<Integer, Integer> waits =
            new PendingResults<>(wheel, clock::get, Timers.ON_WHEEL_THREAD, 1_000);
    private final AtomicReference<Throwable> broken = new AtomicReference<>();
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong values = new AtomicLong();
    private final AtomicLong timeouts = new AtomicLong();
    private final AtomicLong cancels = new AtomicLong();
    /** What the others say they completed. */
    private final AtomicLong claimed = new AtomicLong();

    private volatile boolean holds;

    private void ended(Integer value, Throwable failure) {
        open.decrementAndGet();
        if (failure == null) {
            values.incrementAndGet();
        } else if (failure instanceof TimeoutException) {
            timeouts.incrementAndGet();
        } else if (failure instanceof CancellationException) {
            cancels.incrementAndGet();
        } else {
            broken.compareAndSet(null, failure);
        }
    }

    private void live(SplittableRandom random) {
        List<CompletableFuture<Integer>> mine = new ArrayList<>();
        try {
            for (int i = 0; i < OPERATIONS && broken.get() == null; i++) {
                operate(random, mine);
                if (i % 1_000 == 0) {
                    awaitTurns(20);
                }
            }
        } catch (Throwable failure) {
            broken.compareAndSet(null, failure);
        }
    }

    /** Lets what is awaited time out, however the threads are scheduled. */
    private void awaitTurns(int count) {
        long until = turns.get() + count;
        while (turns.get() < until && broken.get() == null) {
            LockSupport.parkNanos(1_000);
        }
    }

    private void operate(SplittableRandom random, List<CompletableFuture<Integer>> mine) {
        int key = random.nextInt(KEYS);
        int kind = random.nextInt(10);
        if (kind < 6) {
            try {
                long timeout = random.nextLong(2_000);
                open.incrementAndGet();
                CompletableFuture<Integer> future = random.nextBoolean()
                        ? waits.await(key, timeout)
                        : waits.await(key, () -> holds ? 1 : null, timeout);
                future.whenComplete(this::ended);
                mine.add(future);
            } catch (RejectedExecutionException full) {
                open.decrementAndGet();
                awaitTurns(1);
            }
        } else if (kind == 6) {
            claimed.addAndGet(waits.complete(key, 2));
        } else if (kind == 7) {
            holds = random.nextBoolean();
            claimed.addAndGet(waits.check(key));
        } else if (!mine.isEmpty()) {
            mine.remove(random.nextInt(mine.size())).cancel(false);
            if (mine.size() > 100) {
                mine.clear();
            }
        }
    }

    @Test
    void awaitCompleteCheckCancelTimeOut_onFourThreads_everyFutureEndsOnce() throws InterruptedException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            threads.add(new Thread(() -> live(own)));
        }
        threads.forEach(Thread::start);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            wheel.advance(clock.addAndGet(random.nextLong(200)), 100);
            turns.incrementAndGet();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long stopped = waits.stop();
        for (int i = 0; i < 100; i++) {
            wheel.advance(clock.addAndGet(1_000), Integer.MAX_VALUE);
        }
        System.out.println("waits stress: seed " + seed + ", " + values + " by value, " + timeouts + " timed out, "
                + cancels + " cancelled, of those " + stopped + " by stop");
        assertNull(broken.get());
        assertEquals(0, open.get());
        assertTrue(claimed.get() <= values.get(), "the rest were completed while being registered");
        assertTrue(values.get() > 0 && timeouts.get() > 0 && cancels.get() > 0);
        assertEquals(0, waits.waiting());
        assertEquals(0, waits.keys());
        assertEquals(0, wheel.counters().registered());
        WheelInspector.check(wheel);
    }
}
