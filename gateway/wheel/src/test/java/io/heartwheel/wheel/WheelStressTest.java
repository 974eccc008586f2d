package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Owners on threads of their own against a turning one, with exact accounts: every arming ends in one expiry, in a disarm or release that says
 * it prevented one, or is replaced by the next, which may be for the same time; and no entry sleeps past its deadline. Virtual time; ends after a
 * number of operations.
 */
@Timeout(120)
class WheelStressTest {

    private static final int OWNERS = 2;
    private static final int OPERATIONS = 200_000;
    private static final int ENTRIES_EACH = 100;
    private static final long TICK = 100;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10_000_000);
    private final TimingWheel wheel = new TimingWheel(TICK, 8, 10_000, clock.get());
    private final AtomicReference<Throwable> broken = new AtomicReference<>();
    private final AtomicLong armings = new AtomicLong();
    private final AtomicLong prevented = new AtomicLong();
    private final AtomicLong replaced = new AtomicLong();
    /** Advances that got to the end of their work, and the time of the last of them. */
    private final AtomicLong turns = new AtomicLong();

    private volatile long turnedNanos = clock.get();
    private final AtomicLong expiries = new AtomicLong();

    private void check(boolean holds, String what) {
        if (!holds) {
            broken.compareAndSet(null, new AssertionError(what));
        }
    }

    /** An entry whose owner knows at times, when it has waited for what it could not prevent, that no expiry is under way. */
    private final class Entry implements Timed {
        final int handle;
        volatile long deadlineNanos;
        volatile long armedNanos;
        /** The earliest armed since no expiry was under way: one under way may be of any of those. */
        volatile long earliestNanos;
        /** What the wheel was last told; what the owner does after that, an expiry need not know. */
        long answeredNanos;

        /** Armings since no expiry was under way, less the expiries. */
        final AtomicInteger open = new AtomicInteger();

        /** Whether it was armed while it was armed. */
        boolean rearmed;

        Entry() {
            handle = wheel.tryRegister(this);
        }

        @Override
        public long deadlineNanos() {
            answeredNanos = deadlineNanos;
            return answeredNanos;
        }

        @Override
        public void expire(long nowNanos) {
            check(nowNanos - answeredNanos >= 0, "before its answer");
            check(nowNanos - earliestNanos >= 0, "before what was armed");
            check(open.getAndDecrement() >= 1, "expired without being armed");
            expiries.incrementAndGet();
        }

        void arm(long nanos) {
            earliestNanos = rearmed && nanos - earliestNanos > 0 ? earliestNanos : nanos;
            deadlineNanos = nanos;
            armedNanos = nanos;
            open.incrementAndGet();
            armings.incrementAndGet();
            wheel.arm(handle, nanos);
        }

        void armAgain(long nanos) {
            rearmed = true;
            arm(nanos);
        }

        /** What is left is over: no expiry is under way, and what was armed and neither expired nor was prevented was replaced. */
        void settle(boolean didPrevent) {
            if (rearmed) {
                awaitTurns(2);
            }
            if (didPrevent) {
                check(open.getAndDecrement() >= 1, "prevented what was not armed");
                prevented.incrementAndGet();
            } else if (!rearmed) {
                while (open.get() != 0 && broken.get() == null) {
                    LockSupport.parkNanos(1_000);
                }
            }
            replaced.addAndGet(open.getAndSet(0));
            rearmed = false;
        }

        /** Waits until it must have expired. */
        void awaitExpiry() {
            long dueNanos = Math.max(deadlineNanos - armedNanos, 0) + armedNanos + TICK;
            while (turnedNanos - dueNanos < 0 && broken.get() == null) {
                LockSupport.parkNanos(1_000);
            }
            awaitTurns(2);
            check(!wheel.isArmed(handle), "sleeps past its deadline");
            rearmed = true;
            settle(false);
        }

        private void awaitTurns(int count) {
            long until = turns.get() + count;
            while (turns.get() < until && broken.get() == null) {
                LockSupport.parkNanos(1_000);
            }
        }
    }

    private final class Owner extends Thread {
        private final SplittableRandom random;
        private final List<Entry> entries = new ArrayList<>();

        Owner(long seed) {
            random = new SplittableRandom(seed);
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < OPERATIONS && broken.get() == null; i++) {
                    operate();
                }
                for (Entry entry : entries) {
                    entry.settle(wheel.release(entry.handle));
                }
            } catch (Throwable failure) {
                broken.compareAndSet(null, failure);
            }
        }

        private void operate() {
            if (entries.size() < ENTRIES_EACH && (entries.isEmpty() || random.nextInt(20) == 0)) {
                Entry entry = new Entry();
                if (entry.handle != TimingWheel.NO_HANDLE) {
                    entries.add(entry);
                }
                return;
            }
            int index = random.nextInt(entries.size());
            Entry entry = entries.get(index);
            int kind = random.nextInt(40);
            if (kind == 0) {
                entries.set(index, entries.get(entries.size() - 1));
                entries.remove(entries.size() - 1);
                entry.settle(wheel.release(entry.handle));
            } else if (entry.open.get() == 0) {
                entry.arm(clock.get() + random.nextLong(random.nextInt(8) == 0 ? 1_000 * TICK : 5 * TICK));
            } else if (kind < 15) {
                // Activity: later, and the wheel is not told.
                long later = entry.deadlineNanos + random.nextLong(20 * TICK);
                entry.deadlineNanos = later;
            } else if (kind < 20) {
                entry.settle(wheel.disarm(entry.handle));
            } else if (kind < 24) {
                // The same deadline again, with the entry's own answer back to it.
                entry.armAgain(entry.armedNanos);
            } else if (kind < 26) {
                boolean didPrevent = wheel.disarm(entry.handle);
                entry.settle(didPrevent);
                entry.arm(entry.armedNanos);
            } else if (kind < 28) {
                entry.armAgain(clock.get() + random.nextLong(5 * TICK));
            } else if (kind == 28) {
                entry.awaitExpiry();
            }
        }
    }

    private void turn(long nowNanos, int budget) {
        wheel.advance(nowNanos, budget);
        if (!wheel.turner().isBehind()) {
            turnedNanos = nowNanos;
            turns.incrementAndGet();
        }
    }

    @Test
    void armDisarmReleaseExpire_onThreeThreads_everyArmingEndsExactlyOnce() throws InterruptedException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < OWNERS; i++) {
            owners.add(new Owner(random.nextLong()));
        }
        owners.forEach(Thread::start);
        while (owners.stream().anyMatch(Thread::isAlive)) {
            turn(clock.addAndGet(random.nextLong(2 * TICK)), 1 + random.nextInt(20));
        }
        for (Owner owner : owners) {
            owner.join();
        }
        do {
            wheel.advance(clock.addAndGet(1_000_000 * TICK), Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
        System.out.println("wheel stress: seed " + seed + ", " + armings + " armings, " + expiries + " expired, "
                + prevented + " prevented, " + replaced + " replaced, "
                + wheel.counters().handedOver() + " handed over, "
                + wheel.counters().moved() + " moved");
        assertNull(broken.get());
        assertEquals(armings.get(), expiries.get() + prevented.get() + replaced.get());
        assertEquals(0, wheel.counters().registered());
        assertEquals(0, wheel.counters().filed());
        assertTrue(expiries.get() > 0 && prevented.get() > 0 && replaced.get() > 0);
        WheelInspector.check(wheel);
    }
}
