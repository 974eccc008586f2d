package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One figure of a run, to be laid beside the same of another.
 *
 * @param name in lower case with underscores; the same in every run
 * @param unit what {@code value} counts
 * @param value NaN when the run did not measure it
 */
record Figure(String name, Unit unit, double value) {

    /** Recoveries beyond these are not compared. */
    private static final int MOST_RECOVERIES = 8;

    /** What a figure counts, and how it is written. */
    enum Unit {
        /** Things by the piece. */
        COUNT,
        NANOS,
        SECONDS,
        BYTES,
        /** 0..1. */
        SHARE,
        /** Processors kept busy. */
        PROCESSORS,
        PER_SECOND
    }

    /** Whether the run measured it. */
    boolean known() {
        return Double.isFinite(value);
    }

    /** For people. */
    String text() {
        if (!known()) {
            return "-";
        }
        return switch (unit) {
            case COUNT, PROCESSORS -> Format.number(value);
            case NANOS -> Format.latency(value);
            case SECONDS -> Format.number(value) + " s";
            case BYTES -> Format.bytes(value);
            case SHARE -> Format.number(100 * value) + " %";
            case PER_SECOND -> Format.number(value) + "/s";
        };
    }

    /**
     * All figures of a result in a fixed order, the same names for every result, so that two can be compared.
     *
     * @param recoveries how many recoveries to list, absent ones as not measured
     */
    static List<Figure> all(Result result, int recoveries) {
        All all = new All(new ArrayList<>(), new Figures(result));
        all.counts(result);
        all.timings();
        for (int i = 0; i < Math.min(MOST_RECOVERIES, recoveries); i++) {
            all.recovery(
                    i + 1, i < result.recoveries().size() ? result.recoveries().get(i) : null);
        }
        all.costs(result);
        all.health(result.health());
        return all.figures();
    }

    private record All(List<Figure> figures, Figures counted) {

        private void add(String name, Figure.Unit unit, double value) {
            figures.add(new Figure(name, unit, value));
        }

        private void counts(Result result) {
            add("clients", Unit.COUNT, result.clients());
            add("ramp_seconds", Unit.SECONDS, result.rampSeconds());
            add("observed_seconds", Unit.SECONDS, result.observedSeconds());
            for (Count count : Count.values()) {
                add(count.label(), Unit.COUNT, counted.of(count));
            }
        }

        private void timings() {
            for (Timing timing : Timing.values()) {
                Latencies.Summary summary = counted.of(timing);
                boolean none = summary.count() == 0;
                add(timing.label() + "_p50", Unit.NANOS, none ? Double.NaN : summary.p50Nanos());
                add(timing.label() + "_p99", Unit.NANOS, none ? Double.NaN : summary.p99Nanos());
                add(timing.label() + "_max", Unit.NANOS, none ? Double.NaN : summary.maxNanos());
            }
        }

        private void recovery(int number, @Nullable Recovery recovery) {
            String name = "recovery_" + number + "_";
            for (int percent : Recovery.PERCENTAGES) {
                double seconds =
                        recovery == null ? Double.NaN : recovery.secondsTo().getOrDefault(percent, Double.NaN);
                add(name + percent + "_percent", Unit.SECONDS, seconds);
            }
            add(name + "peak", Unit.PER_SECOND, recovery == null ? Double.NaN : recovery.peakOpensPerSecond());
            add(name + "failed_attempts", Unit.COUNT, recovery == null ? Double.NaN : recovery.failedAttempts());
        }

        private void costs(Result result) {
            Costs costs = result.costs() == null ? new Costs(0, 0, 0, 0, 0, 0, 0, 0, 0) : result.costs();
            for (Side side : Side.of(costs)) {
                add(side.name() + "_bytes", Unit.BYTES, side.bytes() > 0 ? side.bytes() : Double.NaN);
                add(side.name() + "_bytes_per_connection", Unit.BYTES, side.bytesPerConnection());
                if (!side.name().equals("kernel")) {
                    add(side.name() + "_cpu_per_100000_beats", Unit.SECONDS, side.secondsForBeats());
                }
            }
            add(
                    "memory_bytes_per_connection",
                    Unit.BYTES,
                    Figures.totalBytes(costs) / Math.max(1, costs.connections()));
        }

        private void health(OwnHealth health) {
            add("generator_processors", Unit.PROCESSORS, health.cores());
            add("machine_processors", Unit.PROCESSORS, health.machineCores());
            add("generator_collector_share", Unit.SHARE, health.collectorShare());
        }
    }
}
