package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.TimerTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a real thread and a real clock; nothing waits for longer than what it waits for takes, and nothing is claimed of how long that is. */
@Timeout(60)
class WheelTimerThreadTest {

    private final List<Thread> made = new ArrayList<>();
    private final ThreadFactory threads = run -> {
        Thread thread = new Thread(run, "timer under test");
        made.add(thread);
        return thread;
    };
    private final WheelTimer timer = new WheelTimer(threads, 2, TimeUnit.MILLISECONDS, 64);
    private final CountDownLatch done = new CountDownLatch(1);

    @AfterEach
    void stop() {
        timer.stop();
    }

    private Thread thread() {
        return made.get(0);
    }

    private void awaitDone() throws InterruptedException {
        assertTrue(done.await(30, TimeUnit.SECONDS), "never happened");
    }

    @Test
    void newTimeout_theFirst_startsTheThreadThatRunsItAndEndsWithStop() throws InterruptedException {
        assertEquals(1, made.size(), "made at once");
        assertSame(Thread.State.NEW, thread().getState());
        Thread[] on = new Thread[1];
        timer.newTimeout(
                timeout -> {
                    on[0] = Thread.currentThread();
                    done.countDown();
                },
                5,
                TimeUnit.MILLISECONDS);
        awaitDone();
        assertSame(thread(), on[0]);
        assertEquals(Set.of(), timer.stop());
        assertFalse(thread().isAlive());
    }

    @Test
    void newTimeout_theFirstForEver_startsTheThread() {
        timer.newTimeout(timeout -> {}, Long.MAX_VALUE, TimeUnit.DAYS);
        assertTrue(thread().isAlive());
        assertEquals(1, timer.stop().size());
        assertFalse(thread().isAlive());
    }

    @Test
    void start_nothingPending_startsTheThread() {
        timer.start();
        timer.start();
        assertTrue(thread().isAlive());
    }

    @Test
    void stop_neverStarted_startsNothing() {
        assertEquals(Set.of(), timer.stop());
        assertSame(Thread.State.NEW, thread().getState());
        assertThrows(IllegalStateException.class, timer::start);
    }

    @Test
    void stop_byATaskOnAnExecutor_stops() throws InterruptedException {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        WheelTimer other = new WheelTimer(threads, 2, TimeUnit.MILLISECONDS, 64, true, 0, executor);
        other.newTimeout(timeout -> {}, 1, TimeUnit.HOURS);
        AtomicInteger left = new AtomicInteger();
        other.newTimeout(
                timeout -> {
                    assertNotSame(made.get(1), Thread.currentThread());
                    left.set(other.stop().size());
                    done.countDown();
                },
                0,
                TimeUnit.SECONDS);
        awaitDone();
        assertEquals(1, left.get());
        assertFalse(made.get(1).isAlive());
        executor.shutdown();
    }

    @Test
    void stop_taskThatBlocks_interruptsItAndReturnsWhatHadNotBegun() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        TimerTask blocks = timeout -> {
            done.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        };
        timer.newTimeout(blocks, 0, TimeUnit.SECONDS);
        awaitDone();
        timer.newTimeout(timeout -> {}, 0, TimeUnit.SECONDS);
        assertEquals(1, timer.stop().size());
        assertEquals(0, interrupted.getCount());
        assertFalse(thread().isAlive());
    }

    @Test
    void newTimeout_threadCannotStart_throwsAndLeavesNothing() {
        boolean[] fails = {true};
        WheelTimer unlucky = new WheelTimer(run -> new Thread(run) {
            @Override
            public synchronized void start() {
                if (fails[0]) {
                    throw new OutOfMemoryError("as planned");
                }
                super.start();
            }
        });
        assertThrows(OutOfMemoryError.class, () -> unlucky.newTimeout(timeout -> {}, 1, TimeUnit.HOURS));
        assertEquals(0, unlucky.pendingTimeouts());
        fails[0] = false;
        unlucky.newTimeout(timeout -> {}, 1, TimeUnit.HOURS);
        assertEquals(1, unlucky.stop().size());
    }

    /** Makers and cancellers against the timer's thread and a stop: each timeout ends in exactly one way. */
    @Test
    void timeouts_madeAndCancelledUntilStopped_eachEndsOnce() throws InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger cancelled = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> odd = new ConcurrentLinkedQueue<>();
        CountDownLatch warm = new CountDownLatch(20_000);
        Thread[] makers = new Thread[3];
        for (int i = 0; i < makers.length; i++) {
            int number = i;
            makers[i] = new Thread(() -> {
                try {
                    for (int k = number; k < 10_000_000; k++) {
                        var timeout =
                                timer.newTimeout(self -> ran.getAndIncrement(), k % 5 * 500L, TimeUnit.MICROSECONDS);
                        taken.getAndIncrement();
                        warm.countDown();
                        if (k % 3 != 0 && timeout.cancel()) {
                            cancelled.getAndIncrement();
                        }
                    }
                } catch (IllegalStateException stopped) {
                    // What ends it.
                } catch (Throwable failure) {
                    odd.add(failure);
                }
            });
            makers[i].start();
        }
        assertTrue(warm.await(30, TimeUnit.SECONDS));
        int left = timer.stop().size();
        for (Thread maker : makers) {
            maker.join();
        }
        assertEquals(List.of(), List.copyOf(odd));
        assertEquals(taken.get(), ran.get() + cancelled.get() + left);
        assertEquals(0, timer.pendingTimeouts());
    }
}
