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
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of turning in real time: CPU time of the threads that find what is due and run it, every contender measured in the same way. The figure is the
 * one called {@code figure} ({@link Figures}); the time of a shot is mostly waiting.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(
        value = 4,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class LiveTurnBenchmark {

    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;

    @Param({"heartwheel", "netty", "kafka", "agrona", "loop", "timer", "pool", "delayqueue"})
    String peer;

    @Param({"10000", "1000000"})
    int pending;

    /** Three seconds are few ticks: the compiler is to be done with them before. */
    @Setup
    public void compile() {
        try (Contender contender = Contender.of(peer)) {
            contender.compileTick();
        }
    }

    /** Three seconds in which nothing is due: all is armed for 60 s to 120 s from now. Nanoseconds of CPU in 10 ms of time. */
    @Benchmark
    public void tickNotDue() {
        try (Contender contender = Contender.filled(peer, pending, true, 60 * SECOND, 60 * SECOND)) {
            contender.start();
            Contender.sleepMillis(500);
            long start = System.nanoTime();
            long cpu = Workers.cpuNanos();
            Contender.sleepMillis(3_000);
            cpu = Workers.cpuNanos() - cpu;
            Figures.tell((double) cpu * Contender.TICK / (System.nanoTime() - start), "ns/tick");
        }
    }

    /**
     * All expire, in random order, within a second that begins two seconds from now or more, when transfers to buckets are done. Nanoseconds of CPU
     * an entry, from shortly before the first to the last.
     */
    @Benchmark
    public void expiry() {
        expiries(false);
    }

    /** As {@link #expiry}, with a full collection between arming and the first expiry, as a timeout of a minute lives through. */
    @Benchmark
    public void expiryCollected() {
        expiries(true);
    }

    private void expiries(boolean collect) {
        try (Contender contender = Contender.of(peer)) {
            contender.prepare(pending);
            contender.open(true);
            long until = Contender.fired + pending;
            long start = System.nanoTime();
            long lead = 2 * SECOND + (collect ? 6_000L : 2_000L) * pending;
            Touch touch = new Touch(pending);
            for (int i = 0; i < pending; i++) {
                // From the start, not from now: what takes long to arm has no longer to expire.
                contender.arm(i, lead + touch.below(SECOND) - (System.nanoTime() - start));
            }
            if (collect) {
                contender.settle();
                Contender.collect();
            }
            contender.start();
            long left = start + lead - 300 * MILLI - System.nanoTime();
            if (left < 0) {
                throw new AssertionError("arming took too long: " + -left + " ns");
            }
            Contender.sleepMillis(left / MILLI);
            long cpu = Workers.cpuNanos();
            for (int waited = 0; Contender.fired < until && waited < 30_000; waited += 10) {
                Contender.sleepMillis(10);
            }
            cpu = Workers.cpuNanos() - cpu;
            if (Contender.fired != until) {
                throw new AssertionError("not all expired: " + (until - Contender.fired) + " left");
            }
            Figures.tell((double) cpu / pending, "ns/entry");
        }
    }
}
