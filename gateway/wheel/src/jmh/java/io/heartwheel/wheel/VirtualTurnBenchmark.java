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
 * Cost of turning where time can be handed in: one tick after the other, nothing else between them, no clock. CPU time of the thread, as the whole is
 * over in some milliseconds and would hold the turns of other processes. The figure is the one called {@code figure} ({@link Figures}); the time of a
 * shot holds the filling too.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 2)
@Measurement(iterations = 4)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class VirtualTurnBenchmark {

    private static final int TICKS = 4_000;
    private static final long SECOND = 1_000_000_000;

    @Param({"heartwheel", "agrona"})
    String peer;

    @Param({"10000", "1000000"})
    int pending;

    /** So many turns on few entries that the compiler is done with them: shots are few. */
    @Setup
    public void compile() {
        for (int i = 0; i < 20; i++) {
            ticksNotDue(1_000);
            expiries(10_000, false);
        }
    }

    /** 4,000 ticks, about 40 s, while all that is armed is due in 60 s to 120 s. Nanoseconds in 10 ms of time. */
    @Benchmark
    public void tickNotDue() {
        Figures.tell(ticksNotDue(pending), "ns/tick");
    }

    /** All expire, in random order, within a second that begins two seconds from now. Nanoseconds an entry. */
    @Benchmark
    public void expiry() {
        Figures.tell(expiries(pending, false), "ns/entry");
    }

    /** As {@link #expiry}, with a full collection between arming and the first expiry, as a timeout of a minute lives through. */
    @Benchmark
    public void expiryCollected() {
        Figures.tell(expiries(pending, true), "ns/entry");
    }

    private double ticksNotDue(int count) {
        try (Contender contender = Contender.filled(peer, count, false, 60 * SECOND, 60 * SECOND)) {
            long tick = contender.tickNanos();
            long now = contender.now;
            long start = Workers.ownCpuNanos();
            for (int i = 0; i < TICKS; i++) {
                now += tick;
                contender.turn(now);
            }
            double nanosATick = (double) (Workers.ownCpuNanos() - start) / TICKS;
            return nanosATick * Contender.TICK / tick;
        }
    }

    private double expiries(int count, boolean collect) {
        try (Contender contender = Contender.filled(peer, count, false, 2 * SECOND, SECOND)) {
            if (collect) {
                Contender.collect();
            }
            long tick = contender.tickNanos();
            long now = contender.now;
            long until = Contender.fired + count;
            long last = now + 4 * SECOND;
            long start = Workers.ownCpuNanos();
            while (Contender.fired < until && now < last) {
                now += tick;
                contender.turn(now);
            }
            long spent = Workers.ownCpuNanos() - start;
            if (Contender.fired != until) {
                throw new AssertionError("not all expired: " + (until - Contender.fired) + " left");
            }
            return (double) spent / count;
        }
    }
}
