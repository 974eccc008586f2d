package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a wheel with a million pending entries costs, one thread, entries touched in random order. Time is virtual, so no figure holds the cost of a
 * clock. Beside it: {@link NettyTimerBenchmark}; the turning thread's part: {@link WheelTurnBenchmark}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class WheelActivityBenchmark {

    private static final int BATCH = 1_024;
    private static final long TICK = 10_000_000;
    private static final long TIMEOUT = 60_000_000_000L;

    /** As a session: the time of the last activity is stored, the deadline is derived from it. */
    static final class Entry implements Timed {
        private static final VarHandle LAST_ACTIVITY;

        static {
            try {
                LAST_ACTIVITY = MethodHandles.lookup().findVarHandle(Entry.class, "lastActivityNanos", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        int handle;

        @SuppressWarnings("UnusedVariable") // by the handle above
        private long lastActivityNanos;

        void activity(long nowNanos) {
            LAST_ACTIVITY.setOpaque(this, nowNanos);
        }

        @Override
        public long deadlineNanos() {
            return (long) LAST_ACTIVITY.getOpaque(this) + TIMEOUT;
        }

        @Override
        public void expire(long nowNanos) {}
    }

    @Param({"1000000"})
    int pending;

    private Entry[] entries;
    private TimingWheel wheel;
    private long now;
    private long later;
    private long random;

    @Setup(Level.Trial)
    public void fill() {
        SplittableRandom seeds = new SplittableRandom(42);
        random = seeds.nextLong() | 1;
        now = 0;
        later = 4 * TIMEOUT;
        wheel = new TimingWheel(TICK, 512, pending, now);
        entries = new Entry[pending];
        for (int i = 0; i < pending; i++) {
            entries[i] = new Entry();
        }
        // Handles and objects in different orders, as after an hour of coming and going.
        Entry[] shuffled = entries.clone();
        for (int i = pending - 1; i > 0; i--) {
            int j = seeds.nextInt(i + 1);
            Entry swapped = shuffled[i];
            shuffled[i] = shuffled[j];
            shuffled[j] = swapped;
        }
        for (Entry entry : shuffled) {
            entry.handle = wheel.register(entry);
            entry.activity(seeds.nextLong(TIMEOUT));
            wheel.arm(entry.handle, entry.deadlineNanos());
        }
        do {
            wheel.advance(now, Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
    }

    private int any() {
        long x = random;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        random = x;
        return (int) (((x >>> 32) * pending) >>> 32);
    }

    /** What a heartbeat costs the timing: a time stored in the entry. */
    @Benchmark
    public void activity() {
        entries[any()].activity(now);
    }

    /** The same told to the wheel, though it need not know: a deadline that only moves later. */
    @Benchmark
    public void armLater() {
        wheel.arm(any(), later++);
    }

    /** Arming and disarming again and again before the wheel looks: the cells end up marked, and stay so. */
    @Benchmark
    public void armDisarm() {
        int handle = any();
        wheel.disarm(handle);
        wheel.arm(handle, now + TIMEOUT);
    }

    /** As {@link #armDisarm}, with the marks taken after every 1,024 pairs: the owner's and the wheel's part together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int armDisarmAndTaken() {
        for (int i = 0; i < BATCH; i++) {
            armDisarm();
        }
        // Time stands, so that nothing but the marks is worked off.
        return wheel.advance(now, Integer.MAX_VALUE);
    }
}
