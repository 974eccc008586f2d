package io.heartwheel.wheel;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Netty's {@code HashedWheelTimer} in the place of {@link WheelActivityBenchmark}: a million pending timeouts, touched in random order. Its worker
 * thread runs beside the measured one; its time reading is part of the figures, as it is of every use.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class NettyTimerBenchmark {

    private static final TimerTask NOTHING = timeout -> {};

    @Param({"1000000"})
    int pending;

    private HashedWheelTimer timer;
    private Timeout[] timeouts;
    private long random;

    @Setup(Level.Trial)
    public void fill() {
        SplittableRandom seeds = new SplittableRandom(42);
        random = seeds.nextLong() | 1;
        timer = new HashedWheelTimer(10, TimeUnit.MILLISECONDS, 512);
        timeouts = new Timeout[pending];
        for (int i = 0; i < pending; i++) {
            timeouts[i] = newTimeout(60_000 + seeds.nextInt(60_000));
        }
    }

    @TearDown(Level.Trial)
    public void stop() {
        timer.stop();
    }

    private Timeout newTimeout(long millis) {
        return timer.newTimeout(NOTHING, millis, TimeUnit.MILLISECONDS);
    }

    private int any() {
        long x = random;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        random = x;
        return (int) (((x >>> 32) * pending) >>> 32);
    }

    /** What a heartbeat costs when it reschedules: one of the million is cancelled and a new one made. */
    @Benchmark
    public void activity() {
        int i = any();
        timeouts[i].cancel();
        timeouts[i] = newTimeout(60_000);
    }

    /** A new timeout, cancelled at once, beside the million. */
    @Benchmark
    public void armDisarm() {
        newTimeout(60_000).cancel();
    }
}
