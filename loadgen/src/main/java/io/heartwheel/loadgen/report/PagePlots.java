package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Latencies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Plots over time, a point a second, with the timeline's marks through all of them. */
final class PagePlots {

    private static final double MILLI = 1e6;
    private static final int MOST_MARKS = 30;

    private final Result result;
    private final List<Sample> series;
    private final double[] seconds;
    private final List<Plot> plots = new ArrayList<>();

    private PagePlots(Result result) {
        this.result = result;
        series = result.series().stream()
                .filter(sample -> Double.isFinite(sample.atSeconds()))
                .toList();
        seconds = of(Sample::atSeconds);
    }

    static void write(Markup page, Result result) {
        PagePlots over = new PagePlots(result);
        if (over.series.size() > 1) {
            over.connections();
            over.traffic();
            over.ends();
            over.generator();
        }
        over.plots.addAll(LatenessPlots.of(result));
        over.plots.addAll(RecoveryPlots.of(result));
        if (over.plots.isEmpty()) {
            return;
        }
        page.leaf("h2", "What was seen");
        over.marks(page);
        page.open("section", "class", "plots");
        over.plots.forEach(plot -> plot.write(page));
        page.close().line();
    }

    private void marks(Markup page) {
        if (result.marks().isEmpty()) {
            return;
        }
        page.open("ol", "class", "marks");
        for (Result.Mark mark : shown()) {
            page.leaf("li", String.format(Locale.ROOT, "%s, at %,.1f s", mark.text(), mark.atSeconds()));
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
        double[] connected = of(Sample::connected);
        plots.add(over("Connections", "").area("connected", 1, connected));
        double[] opens = of(Sample::opensPerSecond);
        double[] failures = of(Sample::failuresPerSecond);
        plots.add(over("Connects a second", "").line("welcomed", 1, opens).line("failed", 2, failures));
    }

    private void traffic() {
        timed("Heartbeat round trip, ms", "from the intended send time", Sample::roundTrip);
        double[] beats = of(Sample::beatsPerSecond);
        double[] data = of(Sample::dataPerSecond);
        Plot sent = over("Sent a second", "");
        sent.line("heartbeats", 1, beats);
        if (most(data) > 0) {
            sent.line("messages", 2, data);
        }
        plots.add(sent);
    }

    private void timed(String title, String note, Function<Sample, Latencies.Summary> timing) {
        double[] p50 = millis(timing, Latencies.Summary::p50Nanos);
        double[] p99 = millis(timing, Latencies.Summary::p99Nanos);
        double[] max = millis(timing, Latencies.Summary::maxNanos);
        if (most(max) > 0) {
            plots.add(over(title, note, true)
                    .line("max", 3, max)
                    .line("p99", 2, p99)
                    .line("p50", 1, p50));
        }
    }

    private void ends() {
        double[] closes = of(Sample::closesPerSecond);
        if (most(closes) > 0) {
            plots.add(over("Connections ended a second", "").area("ended", 2, closes));
        }
        double[] condemned = of(Sample::condemned);
        if (most(condemned) > 0) {
            plots.add(over("Devices that broke their promise", "so far")
                    .line("silent", 2, condemned)
                    .line("closed", 1, of(Sample::detected))
                    .line("false kills", 4, of(Sample::falseKills)));
        }
    }

    private void generator() {
        timed("The generator's own lag, ms", "not the gateway's", Sample::pacing);
        double[] own = of(Sample::generatorCores);
        double[] machine = of(Sample::machineCores);
        Plot busy =
                over("Processors busy", "of " + result.health().processors()).line("generator", 1, own);
        if (most(machine) > 0) {
            busy.line("whole machine", 2, machine);
        }
        plots.add(busy);
    }

    private Plot over(String title, String note) {
        return over(title, note, false);
    }

    private Plot over(String title, String note, boolean logarithmic) {
        Plot plot = new Plot(title, note, Plot.Scale.SECONDS, seconds, logarithmic);
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

    private static double most(double[] line) {
        double most = 0;
        for (double value : line) {
            most = value > most ? value : most;
        }
        return most;
    }
}
