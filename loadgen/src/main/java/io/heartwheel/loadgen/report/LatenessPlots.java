package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.fleet.Result;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How late closes were: how many how much, and what share at most how much. */
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
        double top = Math.max(distribution.atShare(0.999) / MILLI, limitMillis);
        Axis millis = Axis.linear(top * 1.02, 8);
        double width = millis.most() / BARS;
        long[] heights = new long[BARS];
        long highest = 0;
        long below = 0;
        for (int i = 0; i < BARS; i++) {
            long upTo =
                    i == BARS - 1 ? distribution.count() : distribution.countUpTo((long) ((i + 1) * width * MILLI) - 1);
            heights[i] = Math.max(0, upTo - below);
            below = Math.max(below, upTo);
            highest = Math.max(highest, heights[i]);
        }
        Plot plot = new Plot(
                "Detection lateness, " + name(timing) + ", ms",
                "how many closes were how late",
                millis,
                Axis.linear(highest, 5));
        for (int i = 0; i < BARS; i++) {
            if (heights[i] > 0) {
                String text = String.format(
                        Locale.ROOT, "%,d closes %.1f to %.1f ms late", heights[i], i * width, (i + 1) * width);
                plot.bar(i * width, (i + 1) * width, heights[i], text);
            }
        }
        if (limitMillis > 0) {
            plot.upright(limitMillis, "limit p99", String.format(Locale.ROOT, "limit p99 %.1f ms", limitMillis));
        }
        return plot;
    }

    /** Percentiles on a scale where each further nine has the same room. */
    private static Plot curve(Map<Timing, Distribution> all, double limitMillis) {
        long most = 0;
        double highest = limitMillis;
        for (Distribution distribution : all.values()) {
            most = Math.max(most, distribution.count());
            highest = Math.max(highest, distribution.mostNanos() / MILLI);
        }
        double nines = Math.max(1, Math.log10(most));
        List<Axis.Tick> ticks = new ArrayList<>(List.of(new Axis.Tick(0, "0 %"), new Axis.Tick(Math.log10(2), "50 %")));
        for (int i = 1; i <= nines; i++) {
            ticks.add(new Axis.Tick(i, percent(i)));
        }
        Plot plot = new Plot(
                "Detection lateness by percentile, ms", "", new Axis(false, 0, nines, ticks), Axis.linear(highest, 5));
        int colour = 1;
        for (Map.Entry<Timing, Distribution> each : all.entrySet()) {
            double[] xs = new double[STEPS + 1];
            double[] ys = new double[STEPS + 1];
            double end = Math.max(1, Math.log10(each.getValue().count()));
            for (int i = 0; i <= STEPS; i++) {
                xs[i] = end * i / STEPS;
                ys[i] = each.getValue().atShare(i == STEPS ? 1 : 1 - Math.pow(10, -xs[i])) / MILLI;
            }
            plot.line(name(each.getKey()), colour, xs, ys);
            colour++;
        }
        if (limitMillis > 0) {
            plot.across(limitMillis, "limit p99");
            plot.upright(2, "p99", "the limit holds here");
        }
        return plot;
    }

    /** {@code 99.9 %} for three nines. */
    private static String percent(int nines) {
        return nines == 1 ? "90 %" : nines == 2 ? "99 %" : "99." + "9".repeat(nines - 2) + " %";
    }
}
