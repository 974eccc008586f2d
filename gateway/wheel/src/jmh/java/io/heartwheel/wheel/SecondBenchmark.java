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

/**
 * One second of so many connections that beat every ten seconds, in an order that is random but the same each time, with timeouts of 30 s: a tenth
 * of them are active, and a hundred ticks pass. Nobody dies.
 *
 * <p>Counted: for {@code heartwheel}, {@code agrona}, {@code agrona-lazy}, {@code loop} and {@code loop-lazy} all of it, in virtual time: the
 * activity, the turning, and for the lazy ones arming what remains, a thirtieth of the connections each second or a few more. For {@code netty} and
 * {@code kafka} (eager) the activity, and of the threads beside it only what they do meanwhile: the hundred ticks of the second are not, since the
 * activity takes less than a second; add a hundred times the tick not due. For {@code netty-lazy} the activity and as many expiries and armings as
 * the second would hold; see {@link NettyWheel}.
 *
 * <p>As the work is spread over threads, and the lazy Netty wheel waits for ticks, {@link CpuProfiler}'s figure is the one to compare.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 2, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class SecondBenchmark {

    private static final int TICKS = 100;

    @Param({"heartwheel", "agrona", "agrona-lazy", "netty", "netty-lazy", "loop", "loop-lazy", "kafka"})
    String peer;

    @Param({"10000", "1000000"})
    int pending;

    private Contender contender = new Floor(false);
    private int[] order = {};
    private int next;
    private long now;

    @Setup
    public void fill() {
        order = Touch.shuffled(pending);
        // As if each had beaten at its place in the order, within the last ten seconds.
        contender = Contender.of(peer);
        contender.prepare(pending);
        contender.open(false);
        long tenSeconds = 10_000_000_000L;
        for (int k = 0; k < pending; k++) {
            contender.arm(order[k], Contender.TIMEOUT - tenSeconds + tenSeconds * k / pending);
        }
        contender.settle();
        now = contender.now;
    }

    @TearDown
    public void close() {
        contender.close();
    }

    /** The second. */
    @Benchmark
    public void simulatedSecond() {
        int beats = pending / 10 / TICKS;
        for (int tick = 0; tick < TICKS; tick++) {
            now += Contender.TICK;
            for (int k = 0; k < beats; k++) {
                contender.activity(order[next], now);
                if (++next == pending) {
                    next = 0;
                }
            }
            contender.tickOfSecond(now);
        }
        contender.endOfSecond();
    }
}
