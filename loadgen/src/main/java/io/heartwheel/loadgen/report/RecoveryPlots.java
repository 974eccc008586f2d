package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Plots of the recovery after each step that cost connections. */
final class RecoveryPlots {

    private static final int MOST = 6;
    /** Room behind the last milestone, so that the curve is seen to stay. */
    private static final double AFTER = 1.25;

    private RecoveryPlots() {}

    /** One plot a step, the first few; none without samples. */
    static List<Plot> of(Result result) {
        List<Plot> plots = new ArrayList<>();
        for (int i = 0; i < Math.min(MOST, result.recoveries().size()); i++) {
            Recovery recovery = result.recoveries().get(i);
            double next = i + 1 < result.recoveries().size()
                    ? result.recoveries().get(i + 1).atSeconds()
                    : Double.POSITIVE_INFINITY;
            plot(result.series(), recovery, next, plots);
        }
        return plots;
    }

    private static void plot(List<Sample> series, Recovery recovery, double untilSeconds, List<Plot> plots) {
        long lost = recovery.connectedBefore() - recovery.connectedLeast();
        if (lost <= 0 || series.isEmpty()) {
            return;
        }
        double last = series.get(series.size() - 1).atSeconds();
        Double whole = recovery.secondsTo().get(100);
        double end =
                Math.min(Math.min(untilSeconds, last) - recovery.atSeconds(), whole == null ? last : whole * AFTER + 2);
        List<Sample> seen = series.stream()
                .filter(sample ->
                        sample.atSeconds() >= recovery.atSeconds() && sample.atSeconds() <= recovery.atSeconds() + end)
                .toList();
        if (seen.isEmpty() || end <= 0) {
            return;
        }
        double[] xs = seen.stream()
                .mapToDouble(sample -> sample.atSeconds() - recovery.atSeconds())
                .toArray();
        double[] ys = seen.stream()
                .mapToDouble(sample -> 100.0 * (sample.connected() - recovery.connectedLeast()) / lost)
                .toArray();
        Plot plot = new Plot(
                "Recovery, % of " + Format.count(lost) + " lost connections",
                "after: " + recovery.step(),
                Plot.Scale.AFTER,
                xs,
                false);
        plot.area("connected again", 1, ys);
        for (int percent : Recovery.PERCENTAGES) {
            Double seconds = recovery.secondsTo().get(percent);
            if (seconds != null) {
                plot.dot(seconds, percent, 2, String.format(Locale.ROOT, "%d %% after %.1f s", percent, seconds));
            }
        }
        plots.add(plot);
    }
}
