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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Cost of touching a timeout for the thread that does it, with so many pending, touched in random order.
 *
 * <p>Time on the wall counts what the touching thread does. What it leaves to another thread ({@code netty}, {@code kafka}, {@code heartwheel-live})
 * shows in {@link CpuProfiler}'s figure, which holds every thread of the process. {@code heartwheel-taken} does both parts in one thread. Delays are
 * handed in, 60 s to 94 s; who needs the clock to make a deadline of one reads it, as in every use.
 *
 * <p>With two threads each has half of the connections, as event loops do; the timer is shared.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 2, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class TouchBenchmark {

    @Param({"heartwheel", "netty", "agrona", "kafka", "loop", "timer", "pool"})
    String peer;

    @Param({"10000", "1000000"})
    int pending;

    private Contender contender = new Floor(false);

    /** Each thread's own connections. */
    @State(Scope.Thread)
    public static class Own {
        private Touch touch = new Touch(1);

        /** Shares them out. */
        @Setup
        public void share(TouchBenchmark benchmark, ThreadParams threads) {
            int share = benchmark.pending / threads.getThreadCount();
            touch = new Touch(share * threads.getThreadIndex(), share);
        }
    }

    @Setup
    public void fill() {
        contender = Contender.filled(peer, pending, false, 60_000_000_000L, 60_000_000_000L);
    }

    @TearDown
    public void close() {
        contender.close();
    }

    /** A heartbeat of one of the connections; for who is not lazy the same as {@link #rearm}. */
    @Benchmark
    public void activity(Own own) {
        contender.activity(own.touch.any(), own.touch.value());
    }

    /** The timeout of one of the connections is taken back and armed anew. */
    @Benchmark
    public void rearm(Own own) {
        int i = own.touch.any();
        contender.rearm(i, own.touch.delayNanos());
    }

    /** A timeout beside those of the connections is armed and taken back. One thread only. */
    @Benchmark
    public void extra(Own own) {
        own.touch.any();
        contender.extra(own.touch.delayNanos());
    }

    /** A deadline that moves is told to the wheel, though it need not know if it moved later. Heartwheel only. */
    @Benchmark
    public void armAgain(Own own) {
        int i = own.touch.any();
        contender.armAgain(i, own.touch.delayNanos());
    }
}
