package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Assertion;
import io.heartwheel.loadgen.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The last step of a run: from all that was seen to the result. One thread.
 *
 * @param scenario what was run
 * @param clientsByTarget devices by protocol and address
 * @param clientsByBehaviour devices by behaviour
 * @param seen what all workers together saw; of their garbage collections the longest sum
 * @param machine what the machine's processors did while it was observed
 * @param processors of the machine
 */
public record Conclusion(
        Scenario scenario,
        Map<String, Long> clientsByTarget,
        Map<String, Long> clientsByBehaviour,
        WorkerResult seen,
        MachineTime machine,
        int processors) {

    private static final int MOST_EVIDENCE = 1_000;
    private static final double SECOND = 1e9;

    /**
     * The result.
     *
     * @param version of the generator
     * @param startedAt wall clock, ISO 8601
     * @param rampSeconds until the last device was welcomed, or given up
     * @param series about one sample a second
     * @param marks what the timeline did
     * @param outages those of them that may have cost connections
     * @param costs memory and CPU of all sides, if they were measured
     */
    public Result result(
            String version,
            String startedAt,
            double rampSeconds,
            List<Sample> series,
            List<Result.Mark> marks,
            List<Result.Mark> outages,
            @Nullable Costs costs) {
        Ledger ledger = new Ledger();
        seen.ledger().addTo(ledger);
        OwnHealth health = health(ledger);
        List<Recovery> recoveries = Recoveries.of(series, outages);
        OptionalDouble reconnects = outages.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        Recoveries.mostPerSecond(series, outages.get(0).atSeconds()));
        Ledger.Page page = ledger.page();
        List<Finding> findings = Findings.of(
                scenario,
                ledger,
                seen.grantedLeastMillis(),
                seen.lost(),
                health,
                rampCores(series, rampSeconds),
                figure -> figure.equals(Assertion.RECONNECTS) ? reconnects : figure(figure, ledger, recoveries, costs));
        return new Result(
                Result.FORMAT,
                version,
                scenario.name(),
                scenario.seed(),
                startedAt,
                rampSeconds,
                health.wallNanos() / SECOND,
                Finding.verdict(findings),
                findings,
                scenario.clients(),
                clientsByTarget,
                clientsByBehaviour,
                ledger.of(Count.OPENED) == 0 ? 0 : seen.grantedLeastMillis(),
                seen.grantedMostMillis(),
                new TreeMap<>(page.counts()),
                summaries(ledger),
                page.timings(),
                page.tables(),
                expectedCloses(),
                scenario.contract().latenessLimitNanos(),
                evidence(),
                recoveries,
                health,
                health.bottleneck(scenario.contract().pacingLimitNanos()),
                costs,
                series,
                marks);
    }

    /** How each kind of broken promise is to be answered, by what the targets' contracts say. */
    private Map<String, String> expectedCloses() {
        Map<String, String> expected = new TreeMap<>();
        for (ExpectedOutcome expectedOutcome : ExpectedOutcome.values()) {
            String ends = scenario.targets().stream()
                    .map(target -> target.contract().ends(expectedOutcome))
                    .reduce(AllowedEnds::or)
                    .orElse(AllowedEnds.NONE)
                    .text();
            if (expectedOutcome.closeDue()) {
                expected.put(expectedOutcome.label(), ends);
            }
        }
        return expected;
    }

    private OwnHealth health(Ledger ledger) {
        return new OwnHealth(
                seen.atEnd().atNanos() - seen.atObserve().atNanos(),
                seen.atEnd().cpuNanos() - seen.atObserve().cpuNanos(),
                seen.atEnd().collectorNanos() - seen.atObserve().collectorNanos(),
                machine.busyNanos(),
                machine.stolenNanos(),
                processors,
                ledger.of(Timing.PACING).summary());
    }

    /** Processors of the machine that were busy while devices connected; 0 when that is not known. */
    private static double rampCores(List<Sample> series, double rampSeconds) {
        double busy = 0;
        double before = 0;
        for (Sample sample : series) {
            if (before < rampSeconds) {
                busy += sample.machineCores() * (sample.atSeconds() - before);
                before = sample.atSeconds();
            }
        }
        return before <= 0 ? 0 : busy / before;
    }

    private static Map<String, Latencies.Summary> summaries(Ledger ledger) {
        Map<String, Latencies.Summary> summaries = new TreeMap<>();
        for (Timing timing : Timing.values()) {
            if (ledger.of(timing).count() > 0) {
                summaries.put(timing.label(), ledger.of(timing).summary());
            }
        }
        return summaries;
    }

    private List<GatewayFault> evidence() {
        List<GatewayFault> all = new ArrayList<>(seen.evidence());
        all.sort(Comparator.comparing(GatewayFault::kind).thenComparing(GatewayFault::atSeconds));
        return List.copyOf(all.subList(0, Math.min(MOST_EVIDENCE, all.size())));
    }

    /** A figure that an assertion asks for; durations in nanoseconds, memory in bytes a connection. */
    private static OptionalDouble figure(
            String figure, Ledger ledger, List<Recovery> recoveries, @Nullable Costs costs) {
        int dot = figure.indexOf('.');
        if (dot < 0) {
            for (Count count : Count.values()) {
                if (count.label().equals(figure)) {
                    return OptionalDouble.of(ledger.of(count));
                }
            }
            return OptionalDouble.empty();
        }
        String name = figure.substring(0, dot);
        String part = figure.substring(dot + 1);
        if (name.equals("recovery")) {
            return slowest(recoveries, Integer.parseInt(part));
        }
        return name.equals("memory") ? memory(part, costs) : percentile(name, part, ledger);
    }

    /** The longest of all recoveries, if all got there. */
    private static OptionalDouble slowest(List<Recovery> recoveries, int percentage) {
        double slowest = 0;
        for (Recovery recovery : recoveries) {
            Double seconds = recovery.secondsTo().get(percentage);
            if (seconds == null) {
                return OptionalDouble.empty();
            }
            slowest = Math.max(slowest, seconds);
        }
        return recoveries.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(slowest * SECOND);
    }

    private static OptionalDouble memory(String side, @Nullable Costs costs) {
        if (costs == null || costs.connections() == 0) {
            return OptionalDouble.empty();
        }
        long bytes =
                switch (side) {
                    case "kernel" -> costs.kernelBytes();
                    case "gateway" -> costs.gatewayBytes();
                    default -> costs.generatorBytes();
                };
        return bytes == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bytes / costs.connections());
    }

    private static OptionalDouble percentile(String name, String part, Ledger ledger) {
        for (Timing timing : Timing.values()) {
            Latencies.Summary summary = ledger.of(timing).summary();
            if (timing.label().equals(name) && summary.count() > 0) {
                return OptionalDouble.of(
                        switch (part) {
                            case "p50" -> summary.p50Nanos();
                            case "p90" -> summary.p90Nanos();
                            case "p99" -> summary.p99Nanos();
                            case "p999" -> summary.p999Nanos();
                            default -> summary.maxNanos();
                        });
            }
        }
        return OptionalDouble.empty();
    }
}
