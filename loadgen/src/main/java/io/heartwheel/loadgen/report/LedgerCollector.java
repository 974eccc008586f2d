package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.prometheus.client.Collector;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The latest look at a run in Prometheus's form: {@code heartwheel_loadgen_*}, base units, bounded labels (a ledger's
 * tables are bounded themselves), never an id.
 *
 * <p>{@link #published} is written by the coordinator and read by whoever scrapes; what it refers to is never changed.
 */
final class LedgerCollector extends Collector {

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

    // ---- the coordinator's
    private final Ledger sums = new Ledger();

    // ---- between both
    private volatile @Nullable Published published;

    private record Published(String phase, long clients, Sample sample, Ledger.Page page) {}

    /** Timings are handed in by the look, and a histogram must not go back. */
    void publish(Snapshot now) {
        for (Timing timing : Timing.values()) {
            sums.of(timing).add(now.ledger().of(timing));
        }
        Ledger.Page latest = now.ledger().page();
        Ledger.Page page = new Ledger.Page(latest.counts(), sums.page().timings(), latest.tables());
        published = new Published(Format.printable(now.phase()), now.clients(), now.sample(), page);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Published now = published;
        List<MetricFamilySamples> families = new ArrayList<>();
        if (now == null) {
            return families;
        }
        Sample sample = now.sample();
        families.add(family(
                "phase_info", Type.GAUGE, "Always 1; what goes on.", series("phase_info", "phase", now.phase(), 1)));
        gauge(families, "clients", "Devices of the run.", now.clients());
        gauge(families, "connected", "Connections open now.", sample.connected());
        gauge(families, "elapsed_seconds", "Since the run began.", sample.atSeconds());
        gauge(
                families,
                "processors",
                "Processors the generator kept busy in the last second.",
                sample.generatorCores());
        for (Count count : Count.values()) {
            if (!ROLL_CALL.contains(count)) {
                String name = count.label() + "_total";
                long many = now.page().counts().getOrDefault(count.label(), 0L);
                families.add(family(name, Type.COUNTER, count.help() + ".", plain(name, many)));
            }
        }
        families.add(closes(now.page()));
        for (Timing timing : Timing.values()) {
            String encoded = now.page().timings().get(timing.label());
            if (encoded != null) {
                families.add(histogram(timing, Distribution.of(encoded)));
            }
        }
        return families;
    }

    private static void gauge(List<MetricFamilySamples> families, String name, String help, double value) {
        families.add(family(name, Type.GAUGE, help, plain(name, value)));
    }

    private static MetricFamilySamples family(
            String name, Type type, String help, MetricFamilySamples.Sample... series) {
        return new MetricFamilySamples(PREFIX + name, type, help, List.of(series));
    }

    private static MetricFamilySamples.Sample plain(String name, double value) {
        return new MetricFamilySamples.Sample(PREFIX + name, List.of(), List.of(), value);
    }

    private static MetricFamilySamples.Sample series(String name, String label, String of, double value) {
        return new MetricFamilySamples.Sample(PREFIX + name, List.of(label), List.of(of), value);
    }

    private static MetricFamilySamples closes(Ledger.Page page) {
        String name = PREFIX + "closes_total";
        List<MetricFamilySamples.Sample> series = new ArrayList<>();
        for (Map.Entry<String, Map<String, Long>> table : page.tables().entrySet()) {
            if (table.getKey().startsWith(Result.CLOSES)) {
                String of = table.getKey().substring(Result.CLOSES.length());
                table.getValue()
                        .forEach((code, many) -> series.add(
                                new MetricFamilySamples.Sample(name, List.of("of", "code"), List.of(of, code), many)));
            }
        }
        return new MetricFamilySamples(
                name,
                Type.COUNTER,
                "Connections ended, by what was to become of them and the code that was seen.",
                series);
    }

    private static MetricFamilySamples histogram(Timing timing, Distribution distribution) {
        String name = PREFIX + timing.label() + "_seconds";
        List<MetricFamilySamples.Sample> series = new ArrayList<>();
        for (double bound : BOUNDS) {
            long upTo = distribution.countUpTo(Math.round(bound * NANOS));
            series.add(new MetricFamilySamples.Sample(
                    name + "_bucket", List.of("le"), List.of(doubleToGoString(bound)), upTo));
        }
        series.add(
                new MetricFamilySamples.Sample(name + "_bucket", List.of("le"), List.of("+Inf"), distribution.count()));
        series.add(
                new MetricFamilySamples.Sample(name + "_sum", List.of(), List.of(), distribution.sumNanos() / NANOS));
        series.add(new MetricFamilySamples.Sample(name + "_count", List.of(), List.of(), distribution.count()));
        return new MetricFamilySamples(name, Type.HISTOGRAM, timing.help() + ".", series);
    }
}
