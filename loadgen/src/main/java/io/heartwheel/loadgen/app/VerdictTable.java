package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Evidence;
import io.heartwheel.loadgen.fleet.Finding;
import io.heartwheel.loadgen.fleet.Outcome;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** An outcome for people. Stateless. */
final class VerdictTable {

    private static final double MILLI = 1e6;

    private final List<String> lines = new ArrayList<>();

    private VerdictTable() {}

    /** The table's lines; the last one is the verdict's name alone. */
    static List<String> of(Outcome outcome) {
        VerdictTable table = new VerdictTable();
        table.rule();
        table.connections(outcome);
        table.detection(outcome);
        table.generator(outcome);
        table.rule();
        for (Evidence evidence : outcome.evidence()) {
            table.lines.add("  " + evidence.line());
        }
        for (Finding finding : outcome.findings()) {
            table.lines.add("  " + finding.weight() + ": " + finding.text());
        }
        table.lines.add(outcome.verdict().name());
        return table.lines;
    }

    private void rule() {
        lines.add("-".repeat(100));
    }

    private void row(String name, String text, Object... values) {
        lines.add(String.format(Locale.ROOT, "%-20s ", name) + String.format(Locale.ROOT, text, values));
    }

    private void connections(Outcome outcome) {
        row(
                "connected",
                "%,d of %,d; %s; granted %s ms",
                outcome.opened(),
                outcome.clients(),
                outcome.clientsByTarget().entrySet().stream()
                        .map(entry -> String.format(Locale.ROOT, "%s %,d", entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", ")),
                outcome.grantedLeastMillis() == outcome.grantedMostMillis()
                        ? outcome.grantedLeastMillis()
                        : outcome.grantedLeastMillis() + ".." + outcome.grantedMostMillis());
        row(
                "heartbeats",
                "%,d sent, %,d answered, %,d unanswered by %,d live devices; probes %,d to live, %,d to silent",
                outcome.beatsSent(),
                outcome.beatsAnswered(),
                outcome.unansweredBeats(),
                outcome.unansweredDevices(),
                outcome.probesToLive(),
                outcome.probesToSilent());
        row("round trip", "%s  from the intended send time, after the ramp", percentiles(outcome.sinceIntended()));
        row("  uncorrected", "%s  from the actual send time", percentiles(outcome.sinceSent()));
        if (outcome.dataSent() > 0) {
            row(
                    "data",
                    "%,d sent, %,d accepted, %,d refused",
                    outcome.dataSent(),
                    outcome.dataAccepted(),
                    outcome.dataRefused());
        }
    }

    private void detection(Outcome outcome) {
        row("silent devices", "%,d closed of %,d", outcome.detected() + outcome.wrongCodes(), outcome.silent());
        Latencies.Summary late = outcome.lateness();
        row(
                "detection lateness",
                "p50 %.1f ms, p99 %.1f ms, max %.1f ms; limit p99 %.1f ms",
                late.p50Nanos() / MILLI,
                late.p99Nanos() / MILLI,
                late.maxNanos() / MILLI,
                outcome.latenessLimitNanos() / MILLI);
        row("", "close seen by the client - (its last frame sent + interval x grace): the gateway's own lateness");
        row("", "plus the way of that frame there and of the close back, never less");
        row(
                "closes",
                "silent: %s (expected 4001); live: %s (expected none)",
                codes(outcome.silentCloses()),
                codes(outcome.liveCloses()));
        row("false kills", "%,d", outcome.falseKills());
        row("missed kills", "%,d", outcome.missed());
    }

    private void generator(Outcome outcome) {
        Latencies.Summary pacing = outcome.health().pacing();
        row(
                "generator",
                "pacing lag p50 %.1f ms, p99 %.1f ms, max %.1f ms; %s",
                pacing.p50Nanos() / MILLI,
                pacing.p99Nanos() / MILLI,
                pacing.maxNanos() / MILLI,
                outcome.generatorWasBottleneck() ? "IT WAS THE BOTTLENECK" : "not the bottleneck");
        row(
                "",
                "%.2f processors, of the machine's %d busy %.2f; %.1f %% of the time collecting garbage",
                outcome.health().cores(),
                outcome.health().processors(),
                outcome.health().machineCores(),
                100 * outcome.health().collectorShare());
        row("seed", "%d", outcome.seed());
    }

    private static String percentiles(Latencies.Summary summary) {
        return String.format(
                Locale.ROOT,
                "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.1f ms",
                summary.p50Nanos() / MILLI,
                summary.p99Nanos() / MILLI,
                summary.p999Nanos() / MILLI,
                summary.maxNanos() / MILLI);
    }

    private static String codes(Map<Integer, Long> closes) {
        if (closes.isEmpty()) {
            return "none";
        }
        return closes.entrySet().stream()
                .map(entry -> String.format(Locale.ROOT, "%,d with %s", entry.getValue(), code(entry.getKey())))
                .collect(Collectors.joining(", "));
    }

    private static String code(int code) {
        return code == CloseCodes.NONE ? "no code" : code + " " + CloseCodes.name(code);
    }
}
