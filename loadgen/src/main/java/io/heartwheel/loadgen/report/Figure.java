package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
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

    /** Unit of a figure, and its written form. */
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
        All all = new All(new ArrayList<>());
        all.counts(result);
        all.timings(result);
        for (int i = 0; i < Math.min(MOST_RECOVERIES, recoveries); i++) {
            boolean there = i < result.recoveries().size();
            all.recovery(
                    "recovery_" + (i + 1) + "_", there ? result.recoveries().get(i) : null);
        }
        all.costs(Objects.requireNonNullElse(result.costs(), Costs.UNKNOWN));
        all.add("generator_processors", Unit.PROCESSORS, result.health().cores());
        all.add("machine_processors", Unit.PROCESSORS, result.health().machineCores());
        all.add("generator_collector_share", Unit.SHARE, result.health().collectorShare());
        return all.figures();
    }

    private record All(List<Figure> figures) {

        private void add(String name, Unit unit, double value) {
            figures.add(new Figure(name, unit, value));
        }

        private void counts(Result result) {
            add("clients", Unit.COUNT, result.clients());
            add("ramp_seconds", Unit.SECONDS, result.rampSeconds());
            add("observed_seconds", Unit.SECONDS, result.observedSeconds());
            for (Count count : Count.values()) {
                add(count.label(), Unit.COUNT, new ResultFigures(result).of(count));
            }
        }

        private void timings(Result result) {
            for (Timing timing : Timing.values()) {
                for (String part : List.of("p50", "p99", "max")) {
                    OptionalDouble value = new ResultFigures(result).figure(timing.label() + "." + part);
                    add(timing.label() + "_" + part, Unit.NANOS, value.orElse(Double.NaN));
                }
            }
        }

        private void recovery(String name, @Nullable Recovery recovery) {
            for (int percent : Recovery.PERCENTAGES) {
                double seconds =
                        recovery == null ? Double.NaN : recovery.secondsTo().getOrDefault(percent, Double.NaN);
                add(name + percent + "_percent", Unit.SECONDS, seconds);
            }
            add(name + "peak", Unit.PER_SECOND, recovery == null ? Double.NaN : recovery.peakOpensPerSecond());
            add(name + "failed_attempts", Unit.COUNT, recovery == null ? Double.NaN : recovery.failedAttempts());
        }

        private void costs(Costs costs) {
            for (Costs.Side side : costs.sides()) {
                add(side.name() + "_bytes", Unit.BYTES, side.bytes() > 0 ? side.bytes() : Double.NaN);
                add(side.name() + "_bytes_per_connection", Unit.BYTES, side.bytesPerConnection());
                if (!side.name().equals("kernel")) {
                    add(side.name() + "_cpu_per_100000_beats", Unit.SECONDS, side.secondsForBeats());
                }
            }
            double perConnection = costs.totalBytes() / Math.max(1, costs.connections());
            add("memory_bytes_per_connection", Unit.BYTES, perConnection);
        }
    }
}
