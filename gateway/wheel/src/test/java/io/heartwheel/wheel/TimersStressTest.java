package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that start, replace, remove and cancel timers, one that runs tasks and one that turns the wheel, and a stop in the midst of it, with
 * exact accounts: every timer ends once, fired, cancelled or returned by the stop. Virtual time; ends after a number of operations.
 */
@Timeout(120)
class TimersStressTest {

    private static final int OWNERS = 2;
    private static final int OPERATIONS = 100_000;
    private static final int KEYS = 4;
    private static final long TICK = 100;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10_000_000);
    private final TimingWheel wheel = new TimingWheel(TICK, 8, 3_000, clock.get());
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Timers timers = new Timers(wheel, clock::get, queue::add, 2_000, TimerObserver.NONE);
    private final AtomicReference<Throwable> broken = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong turns = new AtomicLong();
    private volatile List<Timer> stopped = List.of();
    /** All that were started, by those who started them. */
    private final ConcurrentLinkedQueue<Account> accounts = new ConcurrentLinkedQueue<>();

    private void check(boolean holds, String what) {
        if (!holds) {
            broken.compareAndSet(null, new AssertionError(what));
        }
    }

    /** One timer and what became of it. */
    private final class Account {
        final long times;
        final AtomicLong runs = new AtomicLong();
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger told = new AtomicInteger();
        Timer timer;

        Account(long times) {
            this.times = times;
        }

        void run() {
            check(running.getAndIncrement() == 0, "two runs at once");
            check(runs.incrementAndGet() <= times, "a run too many");
            check(running.decrementAndGet() == 0, "two runs at once");
        }

        void cancel() {
            if (timer.cancel()) {
                check(told.incrementAndGet() == 1, "told twice");
                check(timer.state() == Timer.State.CANCELLED, "told that it was cancelled and is not");
            }
        }

        void checkEnd() {
            Timer.State state = timer.state();
            check(state != Timer.State.PENDING, "left behind: " + timer);
            check(runs.get() <= timer.runs(), "ran more often than handed over");
            if (state == Timer.State.FIRED) {
                check(runs.get() == times, "fired, but " + runs + " runs of " + times);
                check(told.get() == 0, "fired, but told that it was prevented");
            }
        }
    }

    private void own(SplittableRandom random, boolean stops) {
        List<Account> mine = new ArrayList<>();
        try {
            for (int i = 0; i < OPERATIONS && broken.get() == null; i++) {
                operate(random, mine);
                if (stops && i == OPERATIONS / 2) {
                    stopped = timers.stop();
                }
            }
        } catch (RejectedExecutionException rejection) {
            check(timers.isStopped(), rejection.getMessage());
        } catch (Throwable failure) {
            broken.compareAndSet(null, failure);
        }
    }

    private void operate(SplittableRandom random, List<Account> mine) {
        int kind = random.nextInt(20);
        Object key = random.nextInt(KEYS);
        if (kind < 9) {
            long every = random.nextLong(1, 4 * TICK);
            long delay = random.nextLong(-TICK, (random.nextInt(8) == 0 ? 10_000 : 6) * TICK);
            Schedule schedule =
                    switch (random.nextInt(4)) {
                        case 0 -> Schedule.atFixedRate(delay, every).times(random.nextInt(1, 6));
                        case 1 -> Schedule.withFixedDelay(delay, every).times(random.nextInt(1, 6));
                        default -> Schedule.once(delay);
                    };
            start(random, kind < 3 ? key : null, schedule, mine);
        } else if (kind < 10) {
            timers.remove(key);
        } else if (!mine.isEmpty()) {
            mine.get(random.nextInt(mine.size())).cancel();
        }
    }

    private void start(SplittableRandom random, Object key, Schedule schedule, List<Account> mine) {
        Account account = new Account(schedule.times());
        try {
            boolean direct = random.nextInt(3) == 0;
            account.timer = key == null
                    ? timers.start(schedule, account::run, direct ? Timers.ON_WHEEL_THREAD : queue::add)
                    : timers.replace(key, schedule, account::run);
        } catch (RejectedExecutionException full) {
            if (timers.isStopped()) {
                throw full;
            }
            awaitTurn();
            return;
        }
        accounts.add(account);
        mine.add(account);
        if (mine.size() > 50) {
            mine.remove(0);
        }
    }

    /** Only the wheel makes room for sure. */
    private void awaitTurn() {
        long before = turns.get();
        while (turns.get() == before && broken.get() == null) {
            LockSupport.parkNanos(1_000);
        }
    }

    private void work() {
        while (!over.get() || !queue.isEmpty()) {
            Runnable run = queue.poll();
            if (run != null) {
                run.run();
            } else {
                LockSupport.parkNanos(1_000);
            }
        }
    }

    @Test
    void startCancelReplaceFireStop_onFourThreads_everyTimerEndsExactlyOnce() throws InterruptedException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> owners = new ArrayList<>();
        for (int i = 0; i < OWNERS; i++) {
            SplittableRandom own = random.split();
            boolean stops = i == 0;
            owners.add(new Thread(() -> own(own, stops)));
        }
        Thread worker = new Thread(this::work);
        owners.forEach(Thread::start);
        worker.start();
        while (owners.stream().anyMatch(Thread::isAlive)) {
            wheel.advance(clock.addAndGet(random.nextLong(2 * TICK)), 1 + random.nextInt(50));
            turns.incrementAndGet();
        }
        over.set(true);
        worker.join();
        do {
            wheel.advance(clock.addAndGet(1_000 * TICK), Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
        TimerCounters counters = timers.counters();
        System.out.println("timers stress: seed " + seed + ", " + counters.started() + " started, " + counters.runs()
                + " runs, " + counters.cancelled() + " cancelled, "
                + stopped.size() + " stopped, " + counters.rejected() + " rejected");
        settle();
    }

    private void settle() {
        accounts.forEach(Account::checkEnd);
        assertNull(broken.get());
        assertEquals(timers.counters().started(), accounts.size());
        assertEquals(stopped.size(), count(Timer.State.STOPPED));
        assertEquals(stopped.size(), stopped.stream().distinct().count());
        assertTrue(stopped.stream().allMatch(timer -> timer.state() == Timer.State.STOPPED));
        assertEquals(timers.counters().cancelled(), count(Timer.State.CANCELLED));
        assertTrue(count(Timer.State.FIRED) > 0 && count(Timer.State.CANCELLED) > 0 && !stopped.isEmpty());
        assertEquals(0, timers.pending());
        assertEquals(0, timers.keys());
        assertEquals(0, wheel.counters().registered());
        assertEquals(0, wheel.counters().failed());
        WheelInspector.check(wheel);
    }

    private long count(Timer.State state) {
        return accounts.stream()
                .filter(account -> account.timer.state() == state)
                .count();
    }
}
