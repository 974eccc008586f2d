package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A look at a run in Prometheus's form: {@code heartwheel_loadgen_*}, base units, bounded labels (a ledger's tables are
 * bounded themselves), never an id.
 */
final class RunMetrics {

    private static final String PREFIX = "heartwheel_loadgen_";
    private static final double NANOS = 1e9;

    /** Known only when the roll is called at the end, as a state and not as a number of events. */
    static final Set<Count> ROLL_CALL =
            EnumSet.of(Count.WAITING, Count.NEVER_WELCOMED, Count.ACCEPTED_ONLY, Count.HELD_BACK, Count.LIVE_AT_END);

    /** Upper bounds, seconds: from what loopback takes to a storm's recovery. */
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
        300
    };

    private final List<MetricFamilySamples> families = new ArrayList<>();

    private RunMetrics() {}

    /**
     * All of them, as values that are never changed.
     *
     * @param timings since the run began: a histogram must not go back, and those of a look are its own
     */
    static List<MetricFamilySamples> of(Snapshot now, Ledger timings) {
        RunMetrics metrics = new RunMetrics();
        metrics.gauges(now);
        for (Count count : Count.values()) {
            if (!ROLL_CALL.contains(count)) {
                String name = count.label() + "_total";
                metrics.add(
                        name,
                        Type.COUNTER,
                        count.help(),
                        sample(name, now.ledger().of(count)));
            }
        }
        metrics.closes(now.ledger());
        for (Timing timing : Timing.values()) {
            if (timings.has(timing)) {
                metrics.histogram(timing, timings.of(timing));
            }
        }
        return metrics.families;
    }

    private void gauges(Snapshot now) {
        String phase = Format.printable(now.phase());
        add("phase_info", Type.GAUGE, "Always 1; what goes on", sample("phase_info", 1, "phase", phase));
        gauge("clients", "Devices of the run", now.clients());
        gauge("connected", "Connections open now", now.sample().connected());
        gauge("elapsed_seconds", "Since the run began", now.sample().atSeconds());
        gauge(
                "processors",
                "Processors the generator kept busy in the last second",
                now.sample().generatorCores());
    }

    private void gauge(String name, String help, double value) {
        add(name, Type.GAUGE, help, sample(name, value));
    }

    private void add(String name, Type type, String help, MetricFamilySamples.Sample... samples) {
        families.add(new MetricFamilySamples(PREFIX + name, type, help + ".", List.of(samples)));
    }

    /** @param labels names and values by turns */
    private static MetricFamilySamples.Sample sample(String name, double value, String... labels) {
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int i = 0; i + 1 < labels.length; i += 2) {
            names.add(labels[i]);
            values.add(labels[i + 1]);
        }
        return new MetricFamilySamples.Sample(PREFIX + name, names, values, value);
    }

    private void closes(Ledger ledger) {
        List<MetricFamilySamples.Sample> samples = new ArrayList<>();
        Result.closes(ledger.tables())
                .forEach((of, rows) -> rows.forEach(
                        (code, many) -> samples.add(sample("closes_total", many, "of", of, "code", code))));
        String help = "Connections ended, by what was to become of them and the code that was seen";
        add("closes_total", Type.COUNTER, help, samples.toArray(MetricFamilySamples.Sample[]::new));
    }

    private void histogram(Timing timing, Latencies latencies) {
        String name = timing.label() + "_seconds";
        List<MetricFamilySamples.Sample> samples = new ArrayList<>();
        for (double bound : BOUNDS) {
            long upTo = latencies.countUpTo(Math.round(bound * NANOS));
            samples.add(sample(name + "_bucket", upTo, "le", Collector.doubleToGoString(bound)));
        }
        samples.add(sample(name + "_bucket", latencies.count(), "le", "+Inf"));
        samples.add(sample(name + "_sum", latencies.sumNanos() / NANOS));
        samples.add(sample(name + "_count", latencies.count()));
        add(name, Type.HISTOGRAM, timing.help(), samples.toArray(MetricFamilySamples.Sample[]::new));
    }
}
