package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Latencies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Plots of a page: over time, a point a second, with the timeline's marks through all of them; and the lateness of closes.
 */
final class PagePlots {

    private static final double MILLI = 1e6;
    private static final int MOST_MARKS = 30;
    private static final int STEPS = 240;

    private final Result result;
    private final List<Sample> series;
    private final double[] seconds;
    private final double latenessLimitMillis;
    private final List<Plot> plots = new ArrayList<>();

    private PagePlots(Result result) {
        this.result = result;
        series = result.series().stream()
                .filter(sample -> Double.isFinite(sample.atSeconds()))
                .toList();
        seconds = of(Sample::atSeconds);
        latenessLimitMillis = result.latenessLimitNanos() / MILLI;
    }

    static void write(Markup page, Result result) {
        PagePlots all = new PagePlots(result);
        if (all.series.size() > 1) {
            all.connections();
            all.traffic();
            all.ends();
            all.generator();
        }
        all.lateness();
        if (all.plots.isEmpty()) {
            return;
        }
        page.leaf("h2", "What was seen");
        all.marks(page);
        page.open("section", "class", "plots");
        all.plots.forEach(plot -> plot.write(page));
        page.close().line();
    }

    // ---- over time

    private void marks(Markup page) {
        if (result.marks().isEmpty()) {
            return;
        }
        page.open("ol", "class", "marks");
        for (Result.Mark mark : shown()) {
            page.leaf("li", Format.text("%s, at %,.1f s", mark.text(), mark.atSeconds()));
        }
        page.close();
        if (result.marks().size() > MOST_MARKS) {
            page.leaf("p", "and " + (result.marks().size() - MOST_MARKS) + " more, not drawn", "class", "soft");
        }
    }

    private List<Result.Mark> shown() {
        return result.marks().stream().limit(MOST_MARKS).toList();
    }

    private void connections() {
        over("Connections", "").area("connected", 1, of(Sample::connected));
        over("Connects a second", "")
                .line("welcomed", 1, of(Sample::opensPerSecond))
                .line("failed", 2, of(Sample::failuresPerSecond));
    }

    private void traffic() {
        timed("Heartbeat round trip, ms", "from the intended send time", Sample::roundTrip);
        Plot sent = over("Sent a second", "").line("heartbeats", 1, of(Sample::beatsPerSecond));
        double[] data = of(Sample::dataPerSecond);
        if (isAny(data)) {
            sent.line("messages", 2, data);
        }
    }

    private void timed(String title, String note, Function<Sample, Latencies.Summary> timing) {
        double[] max = millis(timing, Latencies.Summary::maxNanos);
        if (isAny(max)) {
            over(title, note, true)
                    .line("max", 3, max)
                    .line("p99", 2, millis(timing, Latencies.Summary::p99Nanos))
                    .line("p50", 1, millis(timing, Latencies.Summary::p50Nanos));
        }
    }

    private void ends() {
        double[] closes = of(Sample::closesPerSecond);
        if (isAny(closes)) {
            over("Connections ended a second", "").area("ended", 2, closes);
        }
        double[] condemned = of(Sample::condemned);
        if (isAny(condemned)) {
            over("Devices that broke their promise", "so far")
                    .line("silent", 2, condemned)
                    .line("closed", 1, of(Sample::detected))
                    .line("false kills", 4, of(Sample::falseKills));
        }
    }

    private void generator() {
        timed("The generator's own lag, ms", "not the gateway's", Sample::pacing);
        Plot busy = over("Processors busy", "of " + result.health().processors())
                .line("generator", 1, of(Sample::generatorCores));
        double[] machine = of(Sample::machineCores);
        if (isAny(machine)) {
            busy.line("whole machine", 2, machine);
        }
    }

    private Plot over(String title, String note) {
        return over(title, note, false);
    }

    private Plot over(String title, String note, boolean logarithmic) {
        Plot plot = add(new Plot(title, note, Plot.Scale.SECONDS, seconds, logarithmic));
        if (result.rampSeconds() > 0 && result.rampSeconds() < seconds[seconds.length - 1]) {
            plot.upright(result.rampSeconds(), "ramp", "the last device was welcomed, or given up");
        }
        int number = 1;
        for (Result.Mark mark : shown()) {
            plot.upright(mark.atSeconds(), String.valueOf(number), mark.text());
            number++;
        }
        return plot;
    }

    private Plot add(Plot plot) {
        plots.add(plot);
        return plot;
    }

    private double[] of(ToDoubleFunction<Sample> figure) {
        return series.stream().mapToDouble(figure).toArray();
    }

    /** A second without values is a gap, not 0 ms. */
    private double[] millis(Function<Sample, Latencies.Summary> timing, ToDoubleFunction<Latencies.Summary> figure) {
        return of(sample -> {
            Latencies.Summary summary = timing.apply(sample);
            return summary.count() == 0 ? Double.NaN : figure.applyAsDouble(summary) / MILLI;
        });
    }

    private static boolean isAny(double[] line) {
        return Arrays.stream(line).anyMatch(value -> value > 0);
    }

    // ---- lateness of closes

    /** Percentiles of each kind of silence on a scale where each further nine has the same room; none without values. */
    private void lateness() {
        Map<String, Latencies> all = new LinkedHashMap<>();
        for (ResultFigures.Lateness kind : ResultFigures.LATENESSES) {
            String encoded = result.histograms().get(kind.timing().label());
            Latencies late = encoded == null ? Latencies.coarse() : Latencies.decoded(encoded);
            if (late.count() > 0) {
                all.put(kind.what(), late);
            }
        }
        if (all.isEmpty()) {
            return;
        }
        long most = all.values().stream().mapToLong(Latencies::count).max().orElse(1);
        double nines = Math.max(2, Math.log10(most));
        double[] xs = new double[STEPS + 1];
        Arrays.setAll(xs, i -> nines * i / STEPS);
        Plot plot = add(new Plot("Detection lateness by percentile, ms", "", Plot.Scale.NINES, xs, false));
        int colour = 1;
        for (Map.Entry<String, Latencies> each : all.entrySet()) {
            plot.line(each.getKey(), colour, percentiles(each.getValue(), xs));
            colour++;
        }
        if (latenessLimitMillis > 0) {
            plot.across(latenessLimitMillis, "limit p99");
            plot.upright(2, "p99", "the limit holds here");
        }
    }

    /** Up to the first share that is all of them; beyond it there is nothing to tell. */
    private static double[] percentiles(Latencies late, double[] xs) {
        double end = Math.max(1, Math.log10(late.count()));
        double[] ys = new double[xs.length];
        boolean whole = false;
        for (int i = 0; i < xs.length; i++) {
            boolean last = xs[i] >= end || i == xs.length - 1;
            ys[i] = whole ? Double.NaN : late.atShare(last ? 1 : 1 - Math.pow(10, -xs[i])) / MILLI;
            whole |= last;
        }
        return ys;
    }
}
