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

/** All figures of a result in a fixed order, the same names for every result, so that two can be laid side by side. */
final class FigureList {

    /** Recoveries beyond these are not compared. */
    private static final int MOST_RECOVERIES = 8;

    private final List<Figure> figures = new ArrayList<>();

    private FigureList() {}

    /**
     * @param recoveries how many recoveries to list, absent ones as not measured
     */
    static List<Figure> of(Result result, int recoveries) {
        FigureList list = new FigureList();
        list.counts(result);
        list.timings(result);
        for (int i = 0; i < Math.min(MOST_RECOVERIES, recoveries); i++) {
            list.recovery(
                    i + 1,
                    i < result.recoveries().size() ? List.of(result.recoveries().get(i)) : List.of());
        }
        list.costs(result);
        list.health(result.health());
        return list.figures;
    }

    private void add(String name, Figure.Unit unit, double value) {
        figures.add(new Figure(name, unit, value));
    }

    private void counts(Result result) {
        add("clients", Figure.Unit.COUNT, result.clients());
        add("ramp_seconds", Figure.Unit.SECONDS, result.rampSeconds());
        add("observed_seconds", Figure.Unit.SECONDS, result.observedSeconds());
        for (Count count : Count.values()) {
            add(count.label(), Figure.Unit.COUNT, new Figures(result).of(count));
        }
    }

    private void timings(Result result) {
        for (Timing timing : Timing.values()) {
            Latencies.Summary summary = new Figures(result).of(timing);
            boolean none = summary.count() == 0;
            add(timing.label() + "_p50", Figure.Unit.NANOS, none ? Double.NaN : summary.p50Nanos());
            add(timing.label() + "_p99", Figure.Unit.NANOS, none ? Double.NaN : summary.p99Nanos());
            add(timing.label() + "_max", Figure.Unit.NANOS, none ? Double.NaN : summary.maxNanos());
        }
    }

    private void recovery(int number, List<Recovery> recovery) {
        String name = "recovery_" + number + "_";
        for (int percent : Recovery.PERCENTAGES) {
            double seconds = recovery.stream()
                    .mapToDouble(each -> each.secondsTo().getOrDefault(percent, Double.NaN))
                    .findAny()
                    .orElse(Double.NaN);
            add(name + percent + "_percent", Figure.Unit.SECONDS, seconds);
        }
        add(
                name + "peak",
                Figure.Unit.PER_SECOND,
                recovery.stream()
                        .mapToDouble(Recovery::peakOpensPerSecond)
                        .findAny()
                        .orElse(Double.NaN));
        add(
                name + "failed_attempts",
                Figure.Unit.COUNT,
                recovery.stream()
                        .mapToDouble(Recovery::failedAttempts)
                        .findAny()
                        .orElse(Double.NaN));
    }

    private void costs(Result result) {
        Costs costs = result.costs() == null ? new Costs(0, 0, 0, 0, 0, 0, 0, 0, 0) : result.costs();
        for (Side side : Side.of(costs)) {
            add(side.name() + "_bytes", Figure.Unit.BYTES, side.bytes() > 0 ? side.bytes() : Double.NaN);
            add(side.name() + "_bytes_per_connection", Figure.Unit.BYTES, side.bytesPerConnection());
            if (!side.name().equals("kernel")) {
                add(side.name() + "_cpu_per_100000_beats", Figure.Unit.SECONDS, side.secondsForBeats());
            }
        }
        add(
                "memory_bytes_per_connection",
                Figure.Unit.BYTES,
                Figures.totalBytes(costs) / Math.max(1, costs.connections()));
    }

    private void health(OwnHealth health) {
        add("generator_processors", Figure.Unit.PROCESSORS, health.cores());
        add("machine_processors", Figure.Unit.PROCESSORS, health.machineCores());
        add("generator_collector_share", Figure.Unit.SHARE, health.collectorShare());
    }
}
