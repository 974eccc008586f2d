package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Plots of the lateness of closes: counts by lateness, and the share up to each lateness. */
final class LatenessPlots {

    private static final double MILLI = 1e6;
    private static final int BARS = 48;
    private static final int STEPS = 240;

    private LatenessPlots() {}

    /** A histogram for each kind of silence, and a curve with all of them; none without values. */
    static List<Plot> of(Result result) {
        Map<Timing, Distribution> all = new TreeMap<>();
        for (Timing timing : Figures.LATENESSES) {
            String encoded = result.histograms().get(timing.label());
            Distribution distribution = encoded == null ? null : Distribution.of(encoded);
            if (distribution != null && distribution.count() > 0) {
                all.put(timing, distribution);
            }
        }
        List<Plot> plots = new ArrayList<>();
        all.forEach((timing, distribution) ->
                plots.add(histogram(timing, distribution, result.latenessLimitNanos() / MILLI)));
        if (!all.isEmpty()) {
            plots.add(curve(all, result.latenessLimitNanos() / MILLI));
        }
        return plots;
    }

    private static String name(Timing timing) {
        return timing == Timing.LATENESS ? "heartbeat" : timing == Timing.LATENESS_HANDSHAKE ? "handshake" : "progress";
    }

    private static Plot histogram(Timing timing, Distribution distribution, double limitMillis) {
        double width = Math.max(distribution.atShare(0.999) / MILLI, limitMillis) * 1.02 / BARS;
        double[] froms = new double[BARS + 1];
        double[] heights = new double[BARS + 1];
        long below = 0;
        for (int i = 0; i < BARS; i++) {
            long upTo =
                    i == BARS - 1 ? distribution.count() : distribution.countUpTo((long) ((i + 1) * width * MILLI) - 1);
            froms[i] = i * width;
            heights[i] = upTo > below ? upTo - below : Double.NaN;
            below = Math.max(below, upTo);
        }
        froms[BARS] = BARS * width;
        heights[BARS] = Double.NaN;
        Plot plot = new Plot(
                        "Detection lateness, " + name(timing) + ", ms",
                        String.format(Locale.ROOT, "how many closes were how late, in steps of %.2g ms", width),
                        Plot.Scale.MILLIS,
                        froms,
                        false)
                .bars("closes", 1, heights);
        if (limitMillis > 0) {
            plot.upright(limitMillis, "limit p99", String.format(Locale.ROOT, "limit p99 %.1f ms", limitMillis));
        }
        return plot;
    }

    /** Percentiles on a scale where each further nine has the same room. */
    private static Plot curve(Map<Timing, Distribution> all, double limitMillis) {
        long most = all.values().stream().mapToLong(Distribution::count).max().orElse(1);
        double nines = Math.max(2, Math.log10(most));
        double[] xs = new double[STEPS + 1];
        for (int i = 0; i <= STEPS; i++) {
            xs[i] = nines * i / STEPS;
        }
        Plot plot = new Plot("Detection lateness by percentile, ms", "", Plot.Scale.NINES, xs, false);
        int colour = 1;
        for (Map.Entry<Timing, Distribution> each : all.entrySet()) {
            plot.line(name(each.getKey()), colour, percentiles(each.getValue(), xs));
            colour++;
        }
        if (limitMillis > 0) {
            plot.across(limitMillis, "limit p99");
            plot.upright(2, "p99", "the limit holds here");
        }
        return plot;
    }

    /** Up to the first share that is all of them; beyond it there is nothing to tell. */
    private static double[] percentiles(Distribution distribution, double[] xs) {
        double end = Math.max(1, Math.log10(distribution.count()));
        double[] ys = new double[xs.length];
        boolean whole = false;
        for (int i = 0; i < xs.length; i++) {
            boolean last = xs[i] >= end || i == xs.length - 1;
            ys[i] = whole ? Double.NaN : distribution.atShare(last ? 1 : 1 - Math.pow(10, -xs[i])) / MILLI;
            whole |= last;
        }
        return ys;
    }
}
