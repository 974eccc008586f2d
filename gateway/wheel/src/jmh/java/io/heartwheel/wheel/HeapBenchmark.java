package io.heartwheel.wheel;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Live heap an entry: after full collections, with all armed, less that before the timer was filled. Not counted: the connections' objects (but by how much an entry of
 * Heartwheel is larger than they are without), the array that stands for their fields, and the task where one serves all (Netty, the event loop, the pool). Counted: whatever arming makes.
 *
 * <p>The figure is the one called {@code figure} ({@link Figures}). It is no estimate, so one fork will do.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class HeapBenchmark {

    @Param({"heartwheel", "netty", "agrona", "kafka", "loop", "timer", "pool", "delayqueue"})
    String peer;

    @Param({"100000", "1000000"})
    int pending;

    /** Bytes an entry. */
    @Benchmark
    public void bytes() {
        try (Contender contender = Contender.of(peer)) {
            contender.prepare(pending);
            long empty = live();
            contender.open(false);
            contender.armAll(pending, 60_000_000_000L, 60_000_000_000L);
            contender.settle();
            Figures.tell((double) (live() - empty) / pending, "B/entry");
            // It is in use until here.
            contender.extra(60_000_000_000L);
        }
    }

    private static long live() {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Contender.sleepMillis(20);
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
