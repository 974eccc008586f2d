package io.heartwheel.wheel;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What turning costs the wheel's own thread, a tick of ten milliseconds at a time, with a million entries in it and timeouts of a minute: when none
 * is due, when all live and are moved on as they are met, and when all die as they are met.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class WheelTurnBenchmark {

    private static final long TICK = 10_000_000;
    private static final long TIMEOUT = 60_000_000_000L;

    /** Entries met and moved, or expired. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Met {
        /** Entries. */
        public long entries;
    }

    /** An entry that, when asked, turns out to have been active a random part of a minute ago; or never again. */
    private final class Entry implements Timed {
        int handle;
        boolean lives;
        long lastActivityNanos;

        @Override
        public long deadlineNanos() {
            if (lives) {
                lastActivityNanos = now - (lastActivityNanos & (1L << 34) - 1);
            }
            return lastActivityNanos + TIMEOUT;
        }

        @Override
        public void expire(long nowNanos) {
            lastActivityNanos = nowNanos;
            wheel.arm(handle, nowNanos + TIMEOUT);
        }
    }

    @Param({"1000000"})
    int pending;

    @Param({"512", "4096"})
    int buckets;

    private TimingWheel wheel;
    private long now;

    private void fill(boolean lives) {
        SplittableRandom seeds = new SplittableRandom(42);
        now = 0;
        wheel = new TimingWheel(TICK, buckets, pending, now);
        Entry[] entries = new Entry[pending];
        for (int i = 0; i < pending; i++) {
            entries[i] = new Entry();
            entries[i].lives = lives;
            entries[i].lastActivityNanos = seeds.nextLong(TIMEOUT);
        }
        for (int i = pending - 1; i > 0; i--) {
            int j = seeds.nextInt(i + 1);
            Entry swapped = entries[i];
            entries[i] = entries[j];
            entries[j] = swapped;
        }
        for (Entry entry : entries) {
            entry.handle = wheel.register(entry);
            wheel.arm(entry.handle, entry.lastActivityNanos + TIMEOUT);
        }
        do {
            wheel.advance(now, Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
    }

    /** All entries live. */
    @State(Scope.Benchmark)
    public static class Living {
        @Setup(Level.Trial)
        public void fill(WheelTurnBenchmark bench) {
            bench.fill(true);
        }
    }

    /** All entries die, and are armed again when they do. */
    @State(Scope.Benchmark)
    public static class Dying {
        @Setup(Level.Trial)
        public void fill(WheelTurnBenchmark bench) {
            bench.fill(false);
        }
    }

    /** One turn in which nothing is due: time stands. */
    @Benchmark
    public int notDue(Living living) {
        return wheel.advance(now, Integer.MAX_VALUE);
    }

    /** One tick; what is met is moved on. */
    @Benchmark
    public void living(Living living, Met met) {
        now += TICK;
        long before = wheel.counters().moved();
        wheel.advance(now, Integer.MAX_VALUE);
        met.entries += wheel.counters().moved() - before;
    }

    /** One tick; what is met expires, and is handed over and filed again in the next. */
    @Benchmark
    public void dying(Dying dying, Met met) {
        now += TICK;
        met.entries += wheel.advance(now, Integer.MAX_VALUE);
    }
}
