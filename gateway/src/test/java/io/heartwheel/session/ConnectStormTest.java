package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A crowd connects at once and speaks as soon as it is registered, beside an established device whose socket is behind all of theirs in each round. Time is
 * virtual: it passes only where a step is said to take some.
 */
class ConnectStormTest {
    private static final int CROWD = 6_000;
    private static final Duration MOST = Duration.ofMillis(2);
    private static final Duration REGISTRATION = Duration.ofNanos(20_000);
    private static final Duration READ = Duration.ofNanos(5_000);
    /** A task that another thread gave to the loop, cold. */
    private static final Duration TASK = Duration.ofNanos(5_000);

    private final Rounds rounds = new Rounds(() -> pass(TASK));
    private final NewcomerQueue queue = new NewcomerQueue(rounds, () -> this.nowNanos);
    private final List<Newcomer> ready = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - Duration.ofMillis(100).toNanos();
    private long livingWaitedNanos;
    private int mostUnheard;
    private int joined;
    private int welcome;
    private int refused;

    /** It says so much, each as soon as the one before was taken in. */
    private final class Newcomer implements NewcomerQueue.Newcomer {
        private final Duration step;
        private int left;

        Newcomer(Duration step, int steps) {
            this.step = step;
            left = steps;
        }

        @Override
        public void run() {
            joined++;
            pass(REGISTRATION);
            ready.add(this);
        }

        @Override
        public void refuse() {
            refused++;
        }

        void hear() {
            pass(step);
            if (--left > 0) {
                ready.add(this);
            } else {
                welcome++;
            }
        }
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    private void round() {
        long beganNanos = nowNanos;
        List<Newcomer> readyNow = List.copyOf(ready);
        ready.clear();
        for (Newcomer each : readyNow) {
            pass(READ);
            queue.add(each::hear);
        }
        mostUnheard = Math.max(mostUnheard, queue.unheard());
        rounds.next();
        livingWaitedNanos = Math.max(livingWaitedNanos, nowNanos - beganNanos);
    }

    private Duration storm(Duration step, int steps) {
        long beganNanos = nowNanos;
        for (int i = 0; i < CROWD; i++) {
            queue.register(new Newcomer(step, steps));
        }
        for (int i = 0; welcome < CROWD && i < 10 * CROWD; i++) {
            round();
        }
        assertEquals(CROWD, welcome);
        return Duration.ofNanos(nowNanos - beganNanos);
    }

    @Test
    void round_crowdConnectsAtOnce_costsTheLivingTwoMillisecondsAtMost() {
        storm(Duration.ofNanos(30_000), 1);
        assertTrue(livingWaitedNanos <= MOST.toNanos(), () -> "waited " + livingWaitedNanos + " ns");
    }

    @Test
    void round_crowdShakesHandsAtOnce_costsTheLivingTwoMillisecondsAtMost() {
        storm(Duration.ofNanos(400_000), 2);
        assertTrue(livingWaitedNanos <= MOST.toNanos(), () -> "waited " + livingWaitedNanos + " ns");
    }

    /** The bound costs the crowd a task a round, and no time in which nothing is done. */
    @Test
    void crowd_connectsAtOnce_isLetInNoLater() {
        Duration hello = Duration.ofNanos(30_000);
        Duration work = REGISTRATION.plus(READ).plus(hello).multipliedBy(CROWD);
        Duration taken = storm(hello, 1);
        assertTrue(taken.compareTo(work.multipliedBy(101).dividedBy(100)) <= 0, () -> taken + " for " + work);
    }

    /** What lies in buffers unheard is at most what was registered in one slice. */
    @Test
    void crowd_connectsAtOnce_isHeardBeforeMoreAreRegistered() {
        storm(Duration.ofNanos(30_000), 1);
        int aSlice = (int) (NewcomerQueue.SLICE_NANOS / REGISTRATION.toNanos()) + 1;
        assertTrue(mostUnheard <= aSlice, () -> mostUnheard + " unheard, " + aSlice + " are registered in a slice");
    }

    /** Who talks all the time keeps nobody out. */
    @Test
    void register_talkersTakeEachSlice_oneARoundIsRegistered() {
        Newcomer talker = new Newcomer(MOST, Integer.MAX_VALUE);
        queue.register(talker);
        round();
        for (int i = 0; i < 10; i++) {
            queue.register(new Newcomer(MOST, 1));
        }
        for (int i = 0; i < 10; i++) {
            queue.add(talker::hear);
            round();
        }
        assertEquals(11, joined);
    }

    /** A loop that ends registers nobody: what a channel holds would not be released any more. */
    @Test
    void finish_someAreNotRegistered_theyAreRefusedAndTheOthersHeard() {
        Duration slice = Duration.ofNanos(NewcomerQueue.SLICE_NANOS);
        registerTwo(slice);
        round();
        ready.forEach(each -> queue.add(each::hear));
        registerTwo(slice);
        queue.finish();
        registerTwo(slice);
        rounds.next();
        assertEquals(List.of(2, 2, 4, 0), List.of(joined, welcome, refused, queue.length()));
    }

    private void registerTwo(Duration step) {
        queue.register(new Newcomer(step, 1));
        queue.register(new Newcomer(step, 1));
    }

    /** Threads that add and a loop that takes meet at each point; nobody is left behind. */
    @Test
    void register_threadsAddWhileTheLoopEmptiesIt_allAreRegistered() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        NewcomerQueue shared = new NewcomerQueue(loopOf(executor), System::nanoTime);
        int each = 20_000;
        CountDownLatch all = new CountDownLatch(3 * each);
        List<Thread> acceptors = Stream.generate(() -> new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        shared.register(countedBy(all));
                    }
                }))
                .limit(3)
                .toList();
        acceptors.forEach(Thread::start);
        for (Thread acceptor : acceptors) {
            acceptor.join();
        }
        assertTrue(all.await(30, TimeUnit.SECONDS), () -> all.getCount() + " left behind");
        executor.shutdown();
    }

    @Test
    void register_loopHasEnded_isRefusedEachTime() {
        NewcomerQueue ended = new NewcomerQueue(
                loopOf(task -> {
                    throw new RejectedExecutionException();
                }),
                () -> nowNanos);
        for (int i = 0; i < 2; i++) {
            assertThrows(RejectedExecutionException.class, () -> ended.register(new Newcomer(READ, 1)));
        }
        assertEquals(0, ended.length());
    }

    private static NewcomerQueue.Loop loopOf(Executor executor) {
        return new NewcomerQueue.Loop() {
            @Override
            public void execute(Runnable task) {
                executor.execute(task);
            }

            @Override
            public void executeAtTheEnd(Runnable task) {
                executor.execute(task);
            }
        };
    }

    private static NewcomerQueue.Newcomer countedBy(CountDownLatch latch) {
        return new NewcomerQueue.Newcomer() {
            @Override
            public void run() {
                latch.countDown();
            }

            @Override
            public void refuse() {
                throw new AssertionError();
            }
        };
    }
}
