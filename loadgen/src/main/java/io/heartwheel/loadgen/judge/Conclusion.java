package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.scenario.Assertion;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
        Set<String> misdelivered = withoutMisdelivered(ledger);
        OwnHealth health = health(ledger);
        List<Recovery> recoveries = Recoveries.of(series, outages);
        OptionalDouble reconnects = outages.stream()
                .mapToDouble(first -> Recoveries.mostPerSecond(series, first.atSeconds()))
                .findFirst();
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
                evidence(misdelivered),
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
        if (scenario.auth() != null) {
            expected.put("expired", String.valueOf(CloseCodes.AUTH_EXPIRED));
        }
        return expected;
    }

    private OwnHealth health(Ledger ledger) {
        Usage from = seen.atObserve();
        Usage to = seen.atEnd();
        return new OwnHealth(
                to.atNanos() - from.atNanos(),
                to.cpuNanos() - from.cpuNanos(),
                to.collectorNanos() - from.collectorNanos(),
                machine.busyNanos(),
                machine.stolenNanos(),
                processors,
                ledger.summary(Timing.PACING));
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
        return Arrays.stream(Timing.values())
                .filter(ledger::has)
                .collect(Collectors.toMap(Timing::label, ledger::summary, (one, other) -> one, TreeMap::new));
    }

    /**
     * A message that came to another device is that fault: it is not lost, late or unacknowledged besides.
     *
     * @return the messages that did
     */
    private static Set<String> withoutMisdelivered(Ledger ledger) {
        Set<String> messages =
                new HashSet<>(ledger.table(Result.MISDELIVERED_MESSAGES).keySet());
        messages.remove(Ledger.OTHERS);
        ledger.tables().forEach((table, rows) -> {
            if (table.startsWith(Result.ABSENT_MESSAGES)) {
                long those = rows.keySet().stream().filter(messages::contains).count();
                Count.labelled(table.substring(Result.ABSENT_MESSAGES.length()))
                        .ifPresent(count -> ledger.count(count, -those));
            }
        });
        ledger.tables().keySet().removeIf(table -> table.startsWith(Ledger.MESSAGES));
        return messages;
    }

    private List<GatewayFault> evidence(Set<String> misdelivered) {
        return seen.evidence().stream()
                .filter(fault -> fault.kind() != GatewayFault.Kind.MESSAGE_ABSENT
                        || !misdelivered.contains(fault.device() + " " + fault.message()))
                .sorted(Comparator.comparing(GatewayFault::kind).thenComparing(GatewayFault::atSeconds))
                .limit(MOST_EVIDENCE)
                .toList();
    }

    /** A figure that an assertion asks for; durations in nanoseconds, memory in bytes a connection. */
    private static OptionalDouble figure(
            String figure, Ledger ledger, List<Recovery> recoveries, @Nullable Costs costs) {
        String part = figure.substring(figure.indexOf('.') + 1);
        if (figure.startsWith("recovery.")) {
            return slowest(recoveries, Integer.parseInt(part));
        }
        if (!figure.startsWith("memory.")) {
            return ledger.figure(figure);
        }
        return (costs == null ? Costs.UNKNOWN : costs)
                .sides().stream()
                        .filter(side -> side.name().equals(part) && Double.isFinite(side.bytesPerConnection()))
                        .mapToDouble(Costs.Side::bytesPerConnection)
                        .findFirst();
    }

    /** The longest of all recoveries, if all got there. */
    private static OptionalDouble slowest(List<Recovery> recoveries, int percentage) {
        boolean all =
                recoveries.stream().allMatch(recovery -> recovery.secondsTo().containsKey(percentage));
        return all
                ? recoveries.stream()
                        .mapToDouble(recovery -> recovery.secondsTo().getOrDefault(percentage, 0.0) * SECOND)
                        .max()
                : OptionalDouble.empty();
    }
}
