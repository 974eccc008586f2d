package io.heartwheel.wheel;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Very many entries due in one tick, on the real clock: how long the wheel's thread is at it, how long a slice takes, and how late 2,000 others are
 * that fall due one a millisecond before, during and after.
 *
 * <pre>java -Xmx3g -cp gateway/wheel/target/benchmarks.jar io.heartwheel.wheel.MassExpiry</pre>
 */
public final class MassExpiry {

    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int OTHERS = 2_000;
    private static final int ROUNDS = 5;

    private MassExpiry() {}

    /** Due at a time of its own, in an object of its own, as a connection. */
    private static final class Entry implements Timed {
        private final int handle;
        private volatile long deadlineNanos;
        private long lateNanos;
        private int expired;
        private CountDownLatch left = new CountDownLatch(0);

        Entry(TimingWheel wheel) {
            handle = wheel.register(this);
        }

        void arm(TimingWheel wheel, long atNanos, CountDownLatch leftOfThem) {
            left = leftOfThem;
            deadlineNanos = atNanos;
            wheel.arm(handle, atNanos);
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire(long nowNanos) {
            lateNanos = System.nanoTime() - deadlineNanos;
            expired++;
            left.countDown();
        }
    }

    /** Times the slices of the wheel's thread, from one that met entries to the next. */
    private static final class Slices implements WheelObserver {
        private long lastNanos;
        private long longestNanos;
        private int count;

        @Override
        public void turned(int expired, int moved, long lagNanos) {
            long now = System.nanoTime();
            if (expired == WheelSettings.DEFAULT_SLICE && lastNanos != 0) {
                longestNanos = Math.max(longestNanos, now - lastNanos);
            }
            count += expired == WheelSettings.DEFAULT_SLICE ? 1 : 0;
            lastNanos = expired == WheelSettings.DEFAULT_SLICE ? now : 0;
        }
    }

    /** Runs every measurement. */
    public static void main(String[] args) throws InterruptedException {
        for (int mass : new int[] {0, 100_000, 1_000_000}) {
            measure(mass);
        }
    }

    private static void measure(int mass) throws InterruptedException {
        Slices slices = new Slices();
        TimingWheel wheel = new TimingWheel(TICK, 512, mass + OTHERS, System.nanoTime(), slices);
        try (WheelThread thread = new WheelThread(wheel, System::nanoTime, WheelSettings.DEFAULT_SLICE)) {
            thread.start();
            Entry[] many = entries(wheel, mass);
            Entry[] others = entries(wheel, OTHERS);
            for (int round = 1; round <= ROUNDS; round++) {
                CountDownLatch left = new CountDownLatch(mass + OTHERS);
                long at = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
                for (Entry entry : many) {
                    entry.arm(wheel, at, left);
                }
                for (int i = 0; i < OTHERS; i++) {
                    others[i].arm(wheel, at + TimeUnit.MILLISECONDS.toNanos(i - OTHERS / 4), left);
                }
                slices.longestNanos = 0;
                slices.count = 0;
                if (!left.await(60, TimeUnit.SECONDS)) {
                    throw new AssertionError(left.getCount() + " did not expire");
                }
                LockSupport.parkNanos(2 * TICK);
                if (round > 2) {
                    tell(many, others, slices, round);
                }
            }
        }
    }

    private static Entry[] entries(TimingWheel wheel, int count) {
        Entry[] entries = new Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] = new Entry(wheel);
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            Entry swapped = entries[i];
            entries[i] = entries[j];
            entries[j] = swapped;
        }
        return entries;
    }

    private static void tell(Entry[] many, Entry[] others, Slices slices, int round) {
        for (Entry[] all : new Entry[][] {many, others}) {
            for (Entry entry : all) {
                if (entry.expired != round) {
                    throw new AssertionError("expired " + entry.expired + " times in " + round + " rounds");
                }
            }
        }
        long[] late = Arrays.stream(others)
                .mapToLong(entry -> entry.lateNanos)
                .sorted()
                .toArray();
        long over =
                Arrays.stream(many).mapToLong(entry -> entry.lateNanos).max().orElse(0);
        System.out.printf(
                "%,9d in one tick: over after %.1f ms, %d slices, longest %.2f ms; others late p50 %.1f, p99 %.1f, max %.1f ms%n",
                many.length,
                over / 1e6,
                slices.count,
                slices.longestNanos / 1e6,
                late[late.length / 2] / 1e6,
                late[late.length * 99 / 100] / 1e6,
                late[late.length - 1] / 1e6);
    }
}
