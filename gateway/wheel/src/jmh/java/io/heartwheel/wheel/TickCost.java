package io.heartwheel.wheel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Cost and benefit of a tick: CPU time of the wheel's thread and lateness of expiries, on the real clock, for ticks of 5, 10, 20 and 50 ms. From the
 * figures the default was chosen.
 *
 * <pre>java -Xmx2g -cp gateway/wheel/target/benchmarks.jar io.heartwheel.wheel.TickCost [seconds]</pre>
 */
public final class TickCost {

    private static final int MANY = 1_000_000;
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(60);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private TickCost() {}

    /** A connection that beats, a random part of a quarter of a minute ago when it is asked. */
    private static final class Living implements Timed {
        private final long phaseNanos;

        Living(long phaseNanos) {
            this.phaseNanos = phaseNanos;
        }

        @Override
        public long deadlineNanos() {
            return System.nanoTime() - phaseNanos + TIMEOUT;
        }

        @Override
        public void expire(long nowNanos) {
            throw new AssertionError("it lives");
        }
    }

    /** Expires, measures how late, and arms itself again for some time within 100 ms. */
    private static final class Short implements Timed {
        static final long[] LATE = new long[1 << 20];
        static int count;

        final TimingWheel wheel;
        final SplittableRandom random;
        final int handle;
        private long deadlineNanos;

        Short(TimingWheel wheel, SplittableRandom random) {
            this.wheel = wheel;
            this.random = random;
            handle = wheel.register(this);
            arm();
        }

        private void arm() {
            deadlineNanos = System.nanoTime() + random.nextLong(TimeUnit.MILLISECONDS.toNanos(100));
            wheel.arm(handle, deadlineNanos);
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire(long nowNanos) {
            LATE[count++ & LATE.length - 1] = System.nanoTime() - deadlineNanos;
            arm();
        }
    }

    /** Runs every measurement, for so many seconds each. */
    public static void main(String[] args) {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        for (int tickMillis : new int[] {5, 10, 20, 50}) {
            sleeping(tickMillis, seconds);
            ticking(tickMillis, seconds);
            living(tickMillis, seconds);
        }
    }

    private static TimingWheel wheel(int tickMillis) {
        return new TimingWheel(TimeUnit.MILLISECONDS.toNanos(tickMillis), 512, MANY + 1_000, System.nanoTime());
    }

    /** Much is armed, for an hour from now. */
    private static void sleeping(int tickMillis, int seconds) {
        TimingWheel wheel = wheel(tickMillis);
        for (int i = 0; i < 100_000; i++) {
            Probe.arm(wheel, System.nanoTime() + TimeUnit.HOURS.toNanos(1) + i);
        }
        measure("nothing due for an hour", wheel, tickMillis, seconds);
    }

    /** A hundred entries that expire ten to twenty times a second: something in every tick. */
    private static void ticking(int tickMillis, int seconds) {
        TimingWheel wheel = wheel(tickMillis);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            new Short(wheel, random);
        }
        measure("2,000 expiries a second", wheel, tickMillis, seconds);
        int measured = Math.min(Short.count, Short.LATE.length);
        long[] late = Arrays.copyOf(Short.LATE, measured);
        Arrays.sort(late);
        System.out.printf(
                "    late: p50 %.1f ms, p99 %.1f ms, max %.1f ms, min %.3f ms of %d%n",
                late[measured / 2] / 1e6,
                late[measured * 99 / 100] / 1e6,
                late[measured - 1] / 1e6,
                late[0] / 1e6,
                measured);
        Short.count = 0;
    }

    /** A million connections that live. */
    private static void living(int tickMillis, int seconds) {
        TimingWheel wheel = wheel(tickMillis);
        SplittableRandom random = new SplittableRandom(1);
        long now = System.nanoTime();
        for (int i = 0; i < MANY; i++) {
            int handle = wheel.register(new Living(random.nextLong(TIMEOUT / 4)));
            wheel.arm(handle, now + random.nextLong(TIMEOUT));
        }
        measure("1,000,000 living, timeout 60 s", wheel, tickMillis, seconds);
    }

    private static void measure(String what, TimingWheel wheel, int tickMillis, int seconds) {
        try (WheelThread thread = new WheelThread(wheel, System::nanoTime, 1_024)) {
            thread.start();
            sleep(3);
            long id = wheelThreadId();
            long cpu = THREADS.getThreadCpuTime(id);
            long moved = wheel.counters().moved();
            Short.count = 0;
            sleep(seconds);
            cpu = THREADS.getThreadCpuTime(id) - cpu;
            System.out.printf(
                    "tick %2d ms, %s: %.3f %% of a core, %d moved a second%n",
                    tickMillis, what, cpu / 1e7 / seconds, (wheel.counters().moved() - moved) / seconds);
        }
    }

    private static void sleep(int seconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static long wheelThreadId() {
        for (long id : THREADS.getAllThreadIds()) {
            if ("heartwheel-wheel".equals(THREADS.getThreadInfo(id).getThreadName())) {
                return id;
            }
        }
        throw new AssertionError("no wheel thread");
    }

    /** An entry that never expires here. */
    private record Probe(long deadlineNanos) implements Timed {
        static void arm(TimingWheel wheel, long deadlineNanos) {
            wheel.arm(wheel.register(new Probe(deadlineNanos)), deadlineNanos);
        }

        @Override
        public void expire(long nowNanos) {}
    }
}
