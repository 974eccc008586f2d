package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Finding;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A result for people, as lines of about 100 columns. What a run had nothing of is left out. Stateless; any thread. */
public final class VerdictTable {

    private static final int MOST_OF_A_KIND = 4;

    private static final double MILLI = 1e6;
    private static final int MOST_COLUMNS = 100;
    private static final double WORTH_TELLING = 0.001;

    private final Result result;
    private final Figures figures;
    private final List<String> lines = new ArrayList<>();

    private VerdictTable(Result result) {
        this.result = result;
        figures = new Figures(result);
    }

    /** The table's lines; the last one is the verdict's name alone. */
    public static List<String> of(Result result) {
        VerdictTable table = new VerdictTable(result);
        table.rule();
        table.connections();
        table.traffic();
        table.data();
        table.pushes();
        table.detection();
        table.closes();
        table.kills();
        result.recoveries().forEach(table::recovery);
        table.windows();
        Costs costs = result.costs();
        if (costs != null) {
            table.costs(costs);
        }
        table.generator();
        table.rule();
        table.evidence(result.evidence());
        for (Finding finding : result.findings()) {
            table.lines.add("  " + finding.weight() + ": " + Format.printable(finding.text()));
        }
        table.lines.add(result.verdict().name());
        return table.lines;
    }

    /** A few of each kind: the result's JSON has more. */
    private void evidence(List<GatewayFault> all) {
        Map<GatewayFault.Kind, Integer> kinds = new EnumMap<>(GatewayFault.Kind.class);
        for (GatewayFault evidence : all) {
            if (kinds.merge(evidence.kind(), 1, Integer::sum) <= MOST_OF_A_KIND) {
                lines.add("  " + Format.printable(evidence.line()));
            }
        }
        int shown = kinds.values().stream()
                .mapToInt(many -> Math.min(many, MOST_OF_A_KIND))
                .sum();
        if (shown < all.size()) {
            lines.add(String.format(Locale.ROOT, "  and %,d more in the JSON result", all.size() - shown));
        }
    }

    private void rule() {
        lines.add("-".repeat(MOST_COLUMNS));
    }

    /** @param values of a count how many, of a timing its percentiles */
    private void row(String name, String text, Object... values) {
        Object[] shown = Arrays.stream(values).map(this::figure).toArray();
        lines.add(String.format(Locale.ROOT, "%-20s ", name) + String.format(Locale.ROOT, text, shown));
    }

    private Object figure(Object value) {
        if (value instanceof Count count) {
            return figures.of(count);
        }
        return value instanceof Timing timing ? Format.percentiles(figures.of(timing)) : value;
    }

    /** A row with that count, if it is not 0. */
    private void rowIf(Count what, String name, String text, Object... more) {
        rowIf(
                figures.of(what) > 0,
                name,
                text,
                Stream.concat(Stream.of(what), Arrays.stream(more)).toArray());
    }

    /** A row with that timing, if it has values. */
    private void rowIf(Timing what, String name, String text, Object... more) {
        rowIf(
                figures.has(what),
                name,
                text,
                Stream.concat(Stream.of(what), Arrays.stream(more)).toArray());
    }

    private void rowIf(boolean when, String name, String text, Object... values) {
        if (when) {
            row(name, text, values);
        }
    }

    private void connections() {
        StringJoiner text = new StringJoiner("; ");
        text.add(Format.count(figures.connected()) + " of " + Format.count(result.clients()));
        text.add(Format.shares(result.clientsByTarget()));
        boolean mixed = result.clientsByBehaviour().size() > 1;
        if (!mixed) {
            text.add(granted());
        }
        row("connected", "%s", text);
        rowIf(mixed, "", "%s; %s", Format.shares(result.clientsByBehaviour()), granted());
        long refused = figures.of(Count.REFUSED) + figures.of(Count.OWN_FAILURES);
        rowIf(
                refused > 0,
                "",
                "%s refused: %s",
                Format.count(refused),
                Format.shares(result.tables().getOrDefault(Result.REFUSALS, Map.of())));
        rowIf(
                result.rampSeconds() > 0,
                "time to connect",
                "%,.1f s, %,.0f connections/s",
                result.rampSeconds(),
                figures.connected() / result.rampSeconds());
        rowIf(Timing.CONNECT, "connect latency", "%s  from the connect to the welcome");
        connectParts();
        rowIf(Timing.START_LAG, "start lag", "%s  from a device's turn to its connect");
        rowIf(Count.WELCOMED_LATE, "welcomed late", "%,d devices, after more than contract.welcome-within");
    }

    private void connectParts() {
        for (Timing part : Figures.CONNECT_PARTS) {
            String leg = part.label().substring("connect_".length()).toUpperCase(Locale.ROOT);
            rowIf(part, "  " + (part == Timing.CONNECT_UPGRADE ? "upgrade" : leg), "%s");
        }
    }

    private String granted() {
        long least = result.grantedLeastMillis();
        return "granted " + (least == result.grantedMostMillis() ? least : least + ".." + result.grantedMostMillis())
                + " ms";
    }

    private void traffic() {
        rowIf(
                Count.BEATS_SENT,
                "heartbeats",
                "%,d sent, %,d answered, %,d unanswered by %,d live devices; probes %,d to live, %,d to silent",
                Count.BEATS_ANSWERED,
                Count.BEATS_UNANSWERED,
                Count.DEVICES_UNANSWERED,
                Count.PROBES_TO_LIVE,
                Count.PROBES_TO_SILENT);
        roundTrip("round trip", Timing.ROUND_TRIP, Timing.ROUND_TRIP_UNCORRECTED, ", after the ramp");
    }

    private void roundTrip(String name, Timing corrected, Timing uncorrected, String when) {
        rowIf(corrected, name, "%s  from the intended send time%s", when);
        rowIf(uncorrected, "  uncorrected", "%s  from the actual send time");
    }

    private void data() {
        if (figures.of(Count.DATA_SENT) == 0) {
            return;
        }
        row(
                "data",
                "%,d sent, %,d accepted, %,d refused, %,d unacknowledged; %,d came back%s",
                Count.DATA_SENT,
                Count.DATA_ACCEPTED,
                Count.DATA_REFUSED,
                Count.DATA_UNACKNOWLEDGED,
                Count.DATA_ECHOED,
                figures.of(Count.DATA_HELD_BACK) == 0
                        ? ""
                        : "; " + Format.count(figures.of(Count.DATA_HELD_BACK)) + " held back");
        row(
                "",
                "%,d lost, %,d changed, %,d doubled, %,d out of order%s",
                Count.DATA_LOST,
                Count.DATA_CHANGED,
                Count.DATA_DOUBLED,
                Count.DATA_DISORDERED,
                figures.of(Count.DATA_UNKNOWN) == 0
                        ? ""
                        : "; " + Format.count(figures.of(Count.DATA_UNKNOWN))
                                + " left open by the end of their connection");
        roundTrip("  round trip", Timing.DATA_ROUND_TRIP, Timing.DATA_ROUND_TRIP_UNCORRECTED, "");
    }

    private void pushes() {
        if (figures.of(Count.PUSHES_CALLED) == 0) {
            return;
        }
        row(
                "pushes",
                "%,d called, %,d accepted, %,d delivered; %,d refused, %,d failed, %,d to absent devices",
                Count.PUSHES_CALLED,
                Count.PUSHES_ACCEPTED,
                Count.PUSHES_DELIVERED,
                Count.PUSHES_REFUSED,
                Count.PUSHES_FAILED,
                Count.PUSHES_ABSENT);
        row(
                "",
                "%,d lost, %,d late, %,d doubled, %,d out of order, %,d changed, %,d to others, %,d to nobody",
                Count.PUSHES_LOST,
                Count.PUSHES_LATE,
                Count.PUSHES_DOUBLED,
                Count.PUSHES_DISORDERED,
                Count.PUSHES_CHANGED,
                Count.PUSHES_MISDELIVERED,
                Count.PUSHES_TO_NOBODY);
        rowIf(Count.PUSHES_EXCUSED, "", "%,d not come to devices that were not connected all the time: not judged");
        rowIf(Timing.PUSH, "  latency", "%s  from the intended push to the device");
        rowIf(Timing.PUSH_CALL, "  call", "%s  from the call to its answer");
    }

    private void detection() {
        long condemned = figures.of(Count.CONDEMNED);
        rowIf(
                condemned > 0,
                "silent devices",
                "%,d closed of %,d%s",
                figures.of(Count.DETECTED) + figures.of(Count.WRONG_CODES),
                condemned,
                figures.of(Count.UNJUDGED) == 0
                        ? ""
                        : ", " + Format.count(figures.of(Count.UNJUDGED)) + " not watched to their deadline");
        boolean any = false;
        for (Timing timing : Figures.LATENESSES) {
            Latencies.Summary late = figures.of(timing);
            rowIf(
                    late.count() > 0,
                    any ? "  " + kind(timing) : timing == Timing.LATENESS ? "detection lateness" : kind(timing),
                    "p50 %.1f ms, p99 %.1f ms, max %.1f ms; limit p99 %.1f ms",
                    late.p50Nanos() / MILLI,
                    late.p99Nanos() / MILLI,
                    late.maxNanos() / MILLI,
                    result.latenessLimitNanos() / MILLI);
            any |= late.count() > 0;
        }
        Latencies.Summary seen = figures.of(Timing.LATENESS_AS_SEEN);
        rowIf(
                Count.LATENESS_EXCUSED,
                "",
                "%,d of them beyond the limit only because the generator stood still: seen p99 %.1f ms, max %.1f ms",
                seen.p99Nanos() / MILLI,
                seen.maxNanos() / MILLI);
        if (figures.has(Timing.LATENESS)) {
            row("", "close seen by the client - (its last frame sent + interval x grace): the gateway's own lateness");
            row("", "plus the way of that frame there and of the close back, never less");
        }
    }

    private static String kind(Timing timing) {
        return timing == Timing.LATENESS_HANDSHAKE ? "handshake lateness" : "progress lateness";
    }

    private void closes() {
        List<Closes> closes = Closes.of(result);
        String joined = closes.stream().map(Closes::line).collect(Collectors.joining("; "));
        if (joined.length() <= MOST_COLUMNS) {
            row("closes", "%s", joined);
            return;
        }
        String name = "closes";
        for (Closes each : closes) {
            row(name, "%s", each.line());
            name = "";
        }
    }

    private void kills() {
        long takeovers = figures.of(Count.TAKEOVERS);
        rowIf(
                takeovers > 0,
                "takeovers",
                "%,d, %,d right, %,d wrong%s",
                takeovers,
                Count.TAKEOVERS_RIGHT,
                Count.TAKEOVERS_WRONG,
                figures.has(Timing.TAKEOVER) ? "; older one closed " + taken() + " after the newer one's welcome" : "");
        row("false kills", "%,d", figures.of(Count.FALSE_KILLS));
        row("missed kills", "%,d", figures.of(Count.MISSED_KILLS));
        rowIf(Count.WRONG_CODES, "wrong codes", "%,d");
        rowIf(Count.VIOLATIONS, "breaches of the wire", "%,d");
        rowIf(Count.LEFT_OPEN, "left open", "%,d sockets after CLOSE");
        rowIf(Count.OWN_FAULTS, "own faults", "%,d devices closed after the generator itself was late");
    }

    private String taken() {
        Latencies.Summary taken = figures.of(Timing.TAKEOVER);
        return String.format(
                Locale.ROOT, "p50 %.1f ms, max %.1f ms", taken.p50Nanos() / MILLI, taken.maxNanos() / MILLI);
    }

    private void recovery(Recovery recovery) {
        row(
                "recovery",
                "%s at %,.1f s: %,d connected, down to %,d",
                Format.printable(recovery.step()),
                recovery.atSeconds(),
                recovery.connectedBefore(),
                recovery.connectedLeast());
        StringJoiner back = new StringJoiner(", ");
        for (int percent : Recovery.PERCENTAGES) {
            Double seconds = recovery.secondsTo().get(percent);
            back.add(percent + " % "
                    + (seconds == null ? "never" : String.format(Locale.ROOT, "after %,.1f s", seconds)));
        }
        row("", "back %s", back);
        row(
                "",
                "at most %,.0f connects/s, %,d failed attempts",
                recovery.peakOpensPerSecond(),
                recovery.failedAttempts());
    }

    private void windows() {
        long in = figures.of(Count.BACK_IN_WINDOW);
        long late = figures.of(Count.BACK_LATE);
        long never = figures.of(Count.BACK_NEVER);
        long early = figures.of(Count.BACK_EARLY);
        rowIf(
                in + late + never + early > 0,
                "retry windows",
                "%,d devices back within theirs, %,d let in later, %,d never, %,d came early",
                in,
                late,
                never,
                early);
        rowIf(Count.LOST_UNTOLD, "", "%,d lost their connection without a GOAWAY");
    }

    private void costs(Costs costs) {
        List<Side> sides = Side.of(costs);
        row(
                "memory",
                "%s; with %,d connected",
                each(sides, side -> Format.bytes(side.bytes()), Format.bytes(Figures.totalBytes(costs))),
                costs.connections());
        double whole = Figures.totalBytes(costs) / Math.max(1, costs.connections());
        rowIf(
                costs.connections() > 0,
                "  a connection",
                "%s",
                each(sides, side -> Format.bytes(side.bytesPerConnection()), Format.bytes(whole)));
        String cpu = sides.stream()
                .filter(side -> Double.isFinite(side.secondsForBeats()))
                .map(side -> String.format(Locale.ROOT, "%s %.1f us", side.name(), 10 * side.secondsForBeats()))
                .collect(Collectors.joining(", "));
        rowIf(
                !cpu.isEmpty(),
                "processor time",
                "a heartbeat, with all else done meanwhile: %s; kernel included, start and JIT left out",
                cpu);
        row(
                "processes",
                "%,d of the gateway, %,d of the generator",
                costs.gatewayProcesses(),
                costs.generatorProcesses());
    }

    private static String each(List<Side> sides, java.util.function.Function<Side, String> figure, String whole) {
        return sides.stream()
                .map(side -> side.name() + " " + (side.bytes() > 0 ? figure.apply(side) : "unknown"))
                .collect(Collectors.joining(
                        ", ", "", sides.stream().allMatch(s -> s.bytes() > 0) ? ", all " + whole : ""));
    }

    private void generator() {
        OwnHealth health = result.health();
        Latencies.Summary pacing = health.pacing();
        row(
                "generator",
                "pacing lag p50 %.1f ms, p99 %.1f ms, max %.1f ms; %s",
                pacing.p50Nanos() / MILLI,
                pacing.p99Nanos() / MILLI,
                pacing.maxNanos() / MILLI,
                result.generatorWasBottleneck() ? "the generator was the bottleneck" : "not the bottleneck");
        row(
                "",
                "%.2f processors, of the machine's %d busy %.2f; %.1f %% of the time collecting garbage%s",
                health.cores(),
                health.processors(),
                health.machineCores(),
                100 * health.collectorShare(),
                health.stolenShare() < WORTH_TELLING
                        ? ""
                        : String.format(Locale.ROOT, "; %.1f %% stolen by the hypervisor", 100 * health.stolenShare()));
        Latencies.Summary stalls = figures.of(Timing.STALL);
        rowIf(
                stalls.count() > 0,
                "",
                "stood still %,d times, p50 %.1f ms, max %.1f ms; what it saw late for that is taken off",
                stalls.count(),
                stalls.p50Nanos() / MILLI,
                stalls.maxNanos() / MILLI);
        row("seed", "%d", result.seed());
    }
}
