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
 * Cost for our wheel of visited entries that turn out to be alive: a tick of ten milliseconds at a time, a million entries, timeouts of a minute. What
 * is compared with others stands in {@link VirtualTurnBenchmark} and {@link LiveTurnBenchmark}.
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

    /** An entry that, when asked, turns out to have been active a random part of a quarter of a minute ago. */
    private final class Entry implements Timed {
        long lastActivityNanos;

        @Override
        public long deadlineNanos() {
            lastActivityNanos = now - (lastActivityNanos & (1L << 34) - 1);
            return lastActivityNanos + TIMEOUT;
        }

        @Override
        public void expire(long nowNanos) {
            throw new AssertionError("it lives");
        }
    }

    @Param({"1000000"})
    int pending;

    @Param({"512", "4096"})
    int buckets;

    private TimingWheel wheel;
    private long now;

    @Setup(Level.Trial)
    public void fill() {
        SplittableRandom seeds = new SplittableRandom(42);
        now = 0;
        wheel = new TimingWheel(TICK, buckets, pending, now);
        Entry[] entries = new Entry[pending];
        for (int i = 0; i < pending; i++) {
            entries[i] = new Entry();
            entries[i].lastActivityNanos = seeds.nextLong(TIMEOUT);
        }
        for (int i = pending - 1; i > 0; i--) {
            int j = seeds.nextInt(i + 1);
            Entry swapped = entries[i];
            entries[i] = entries[j];
            entries[j] = swapped;
        }
        for (Entry entry : entries) {
            wheel.arm(wheel.register(entry), entry.lastActivityNanos + TIMEOUT);
        }
        do {
            wheel.advance(now, Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
    }

    /** One tick; what is met is moved on. */
    @Benchmark
    public void living(Met met) {
        now += TICK;
        long before = wheel.counters().moved();
        wheel.advance(now, Integer.MAX_VALUE);
        met.entries += wheel.counters().moved() - before;
    }
}
