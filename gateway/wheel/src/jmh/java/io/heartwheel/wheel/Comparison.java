package io.heartwheel.wheel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Benchmarks of the report: which, for whom and how large. The whole run takes about 45 minutes on two cores; forks are what its errors are made of, so
 * it is sizes and slow peers that were left out for it: 100,000 pending belongs to the run of the ten million.
 */
final class Comparison {

    private static final List<Integer> BOTH = List.of(10_000, 1_000_000);
    private static final List<Integer> MILLION = List.of(1_000_000);
    private static final int TEN_MILLION = 10_000_000;

    private static final List<String> FLOORS = List.of("floor-slot", "floor-object", "heartwheel");
    private static final List<String> FAST =
            List.of("heartwheel", "heartwheel-taken", "dropin", "netty", "agrona", "kafka", "loop");
    /** Those whose expiries after a full collection are compared. */
    private static final List<String> COLLECTED =
            List.of("heartwheel", "heartwheel-shared", "dropin-own", "netty", "netty-own", "agrona", "agrona-own");

    private static final List<String> SLOW = List.of("timer", "pool");
    private static final List<String> ALL =
            List.of("heartwheel", "dropin", "netty", "agrona", "kafka", "loop", "timer", "pool", "delayqueue");

    /** One benchmark, all combinations of peers and sizes. */
    record Batch(String benchmark, List<String> peers, List<Integer> pending, int threads) {
        Batch(String benchmark, List<String> peers, List<Integer> pending) {
            this(benchmark, peers, pending, 1);
        }

        Batch with(int onlyPending) {
            return new Batch(benchmark, peers, List.of(onlyPending), threads);
        }

        boolean isLarge() {
            return pending.contains(TEN_MILLION);
        }
    }

    private Comparison() {}

    /** What belongs in the report. */
    static List<Batch> whole() {
        return List.of(
                new Batch("TouchBenchmark.activity", FLOORS, BOTH),
                new Batch("TouchBenchmark.rearm", FAST, BOTH),
                new Batch("TouchBenchmark.rearm", SLOW, MILLION),
                new Batch("TouchBenchmark.rearm", List.of("delayqueue"), List.of(10_000)),
                new Batch("TouchBenchmark.extra", FAST, BOTH),
                new Batch("TouchBenchmark.extra", SLOW, MILLION),
                new Batch("TouchBenchmark.rearm", List.of("heartwheel-live"), MILLION),
                new Batch(
                        "TouchBenchmark.rearm",
                        List.of("heartwheel", "heartwheel-live", "dropin", "netty", "kafka", "timer", "pool"),
                        MILLION,
                        2),
                new Batch("VirtualTurnBenchmark.tickNotDue", List.of("heartwheel", "agrona"), BOTH),
                new Batch(
                        "VirtualTurnBenchmark.expiry",
                        List.of("heartwheel", "heartwheel-shared", "agrona", "agrona-own"),
                        BOTH),
                new Batch(
                        "VirtualTurnBenchmark.expiryCollected",
                        List.of("heartwheel", "heartwheel-shared", "agrona", "agrona-own"),
                        MILLION),
                new Batch("LiveTurnBenchmark.tickNotDue", List.of("heartwheel", "netty", "kafka"), MILLION),
                new Batch("LiveTurnBenchmark.expiry", ALL, MILLION),
                new Batch(
                        "LiveTurnBenchmark.expiry",
                        List.of("heartwheel-shared", "dropin-own", "netty-own", "agrona-own"),
                        MILLION),
                new Batch("LiveTurnBenchmark.expiryCollected", COLLECTED, MILLION),
                new Batch(
                        "SecondBenchmark.simulatedSecond",
                        List.of(
                                "heartwheel",
                                "agrona",
                                "agrona-lazy",
                                "netty",
                                "netty-lazy",
                                "loop",
                                "loop-lazy",
                                "kafka"),
                        BOTH),
                new Batch("HeapBenchmark.bytes", ALL, List.of(100_000, 1_000_000)));
    }

    /** The sizes beside: 100,000, and ten million of those that hold them in 12 GiB. */
    static List<Batch> tenMillion() {
        List<Integer> hundredThousand = List.of(100_000);
        List<Integer> tenMillion = List.of(TEN_MILLION);
        List<String> few = List.of("heartwheel", "heartwheel-taken", "netty", "agrona");
        return List.of(
                new Batch("TouchBenchmark.activity", FLOORS, hundredThousand),
                new Batch("TouchBenchmark.rearm", FAST, hundredThousand),
                new Batch("TouchBenchmark.extra", FAST, hundredThousand),
                new Batch("SecondBenchmark.simulatedSecond", List.of("heartwheel", "agrona", "netty"), hundredThousand),
                new Batch("TouchBenchmark.activity", FLOORS, tenMillion),
                new Batch("TouchBenchmark.rearm", few, tenMillion),
                new Batch("TouchBenchmark.extra", few, tenMillion),
                new Batch("VirtualTurnBenchmark.tickNotDue", List.of("heartwheel"), tenMillion),
                new Batch("HeapBenchmark.bytes", List.of("heartwheel", "netty", "agrona"), tenMillion));
    }

    /** Everything once, small and short: proof that it runs, not figures. */
    static List<Batch> quick() {
        List<Batch> quick = new ArrayList<>();
        whole().forEach(batch -> quick.add(batch.with(10_000)));
        return quick;
    }

    /** Runs one; what fails is missing in the answer. */
    static Collection<RunResult> run(Batch batch, boolean quick) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(Comparison.class.getPackageName().replace(".", "\\.") + "\\."
                        + batch.benchmark.replace(".", "\\.") + "$")
                .param("peer", batch.peers.toArray(new String[0]))
                .param("pending", batch.pending.stream().map(String::valueOf).toArray(String[]::new))
                .threads(batch.threads)
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class)
                .addProfiler(Figures.class);
        if (batch.isLarge()) {
            // Long enough for more than one collection.
            options.jvmArgsAppend("-Xms12g", "-Xmx12g", "-XX:+UseParallelGC").measurementTime(TimeValue.seconds(2));
        }
        if (quick) {
            options.forks(1)
                    .warmupIterations(1)
                    .warmupTime(TimeValue.milliseconds(200))
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(200));
        }
        return new Runner(options.build()).run();
    }
}
