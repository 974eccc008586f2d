package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Finding;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A result for people, as lines of about 100 columns. What a run had nothing of is left out. Stateless; any thread. */
public final class VerdictTable {

    private static final int MOST_OF_A_KIND = 4;

    private static final double MILLI = 1e6;
    private static final int MOST_COLUMNS = 100;
    private static final double WORTH_TELLING = 0.001;

    private final Result result;
    private final ResultFigures figures;
    private final List<String> lines = new ArrayList<>();

    private VerdictTable(Result result) {
        this.result = result;
        figures = new ResultFigures(result);
    }

    /** The table's lines; the last one is the verdict's name alone. */
    public static List<String> of(Result result) {
        VerdictTable table = new VerdictTable(result);
        table.rule();
        table.connections();
        table.traffic();
        table.pushes();
        table.uplink();
        table.credentials();
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
        int shown = 0;
        for (GatewayFault evidence : all) {
            if (kinds.merge(evidence.kind(), 1, Integer::sum) <= MOST_OF_A_KIND) {
                lines.add("  " + Format.printable(evidence.line()));
                shown++;
            }
        }
        if (shown < all.size()) {
            lines.add(Format.text("  and %,d more in the JSON result", all.size() - shown));
        }
    }

    private void rule() {
        lines.add("-".repeat(MOST_COLUMNS));
    }

    private void row(String name, String text, Object... values) {
        rowIf(true, name, text, values);
    }

    /** A row whose first figure is above 0. */
    private void rowOf(String name, String text, Object... values) {
        rowIf(figures.any(text), name, text, values);
    }

    private void rowIf(boolean when, String name, String text, Object... values) {
        // said in any case, so that a name that nothing has is found by whatever result comes first
        String line = Format.text("%-20s ", name) + figures.text(text, values);
        if (when) {
            lines.add(line);
        }
    }

    private void connections() {
        long connected = figures.connected();
        boolean mixed = result.clientsByBehaviour().size() > 1;
        String targets = Format.shares(result.clientsByTarget());
        row("connected", "%,d of %,d; %s%s", connected, result.clients(), targets, mixed ? "" : "; " + granted());
        rowIf(mixed, "", "%s; %s", Format.shares(result.clientsByBehaviour()), granted());
        rowOf("", "{refused} refused: %s", Format.shares(result.tables().getOrDefault(Result.REFUSALS, Map.of())));
        rowOf(
                "",
                "{own_failures} not made by this machine: %s",
                Format.shares(result.tables().getOrDefault(Result.OWN_FAILURES, Map.of())));
        rowOf("", "{turned_away} turned away, {back_in_window} came in in their time[, {back_late} late]");
        double seconds = result.rampSeconds();
        rowIf(seconds > 0, "time to connect", "%,.1f s, %,.0f connections/s", seconds, connected / seconds);
        rowOf("connect latency", "{connect}  from the connect to the welcome");
        rowOf("  TCP", "{connect_tcp}");
        rowOf("  TLS", "{connect_tls}");
        rowOf("  upgrade", "{connect_upgrade}");
        rowOf("  HELLO", "{connect_hello}");
        rowOf("start lag", "{start_lag}  from a device's turn to its connect");
        rowOf("welcomed late", "{welcomed_late} devices, after more than contract.welcome-within");
    }

    private String granted() {
        long least = result.grantedLeastMillis();
        return "granted " + (least == result.grantedMostMillis() ? least : least + ".." + result.grantedMostMillis())
                + " ms";
    }

    private void traffic() {
        rowOf(
                "heartbeats",
                "{beats_sent} sent, {beats_answered} answered[, {beats_late} of them late], {beats_unanswered}"
                        + " unanswered by {devices_unanswered} live devices[, {beats_open} left open]; probes {probes_to_live} to live, {probes_to_silent} to silent");
        rowOf("round trip", "{round_trip}  from the intended send time, after the ramp");
        rowOf("  with a crowd", "{round_trip_crowd}  from when it comes on");
        rowOf("  uncorrected", "{round_trip_uncorrected}  from the actual send time");
        rowOf(
                "data",
                "{data_sent} sent, {data_accepted} accepted[, {data_acknowledged_late} of them late], {data_refused} refused,"
                        + " {data_unacknowledged} unacknowledged; {data_echoed} came back[, {data_late} late]"
                        + "[; {data_held_back} held back]");
        rowIf(
                figures.of(Count.DATA_SENT) > 0,
                "",
                "{data_lost} lost, {data_changed} changed, {data_doubled} doubled, {data_disordered} out of order"
                        + "[, {data_misdelivered} to other devices][; {data_unknown} left open by the end of their connection or of the run]");
        rowOf("  round trip", "{data_round_trip}  from the intended send time");
        rowOf("  uncorrected", "{data_round_trip_uncorrected}  from the actual send time");
        rowOf("  coming back", "{echo_round_trip}  from the intended send time");
        rowOf("  uncorrected", "{echo_round_trip_uncorrected}  from the actual send time");
    }

    private void pushes() {
        rowOf(
                "pushes",
                "{pushes_called} called, {pushes_accepted} accepted, {pushes_delivered} delivered;"
                        + " {pushes_refused} refused, {pushes_failed} failed, {pushes_absent} to absent devices");
        rowIf(
                figures.of(Count.PUSHES_CALLED) > 0,
                "",
                "{pushes_lost} lost, {pushes_late} late, {pushes_doubled} doubled, {pushes_disordered} out of order,"
                        + " {pushes_changed} changed, {pushes_misdelivered} to others, {pushes_to_nobody} to nobody");
        rowOf("", "{pushes_excused} not come to devices that were not connected all the time: not judged");
        rowOf("  latency", "{push}  from the intended push to the device");
        rowOf("  call", "{push_call}  from the call to its answer");
    }

    private void uplink() {
        rowOf(
                "uplink",
                "{uplink_events} events in {uplink_requests} requests[, {uplink_disturbed} of them disturbed by plan];"
                        + " {uplink_came} of {data_accepted} acknowledged messages came out[; {data_resent} sent again]");
        rowIf(
                figures.of(Count.UPLINK_EVENTS) + figures.of(Count.UPLINK_LOST) > 0,
                "",
                "{uplink_lost} lost, {uplink_changed} changed, {uplink_out_of_order} out of order; {uplink_doubled}"
                        + " twice and {uplink_repeated} repeated, which is allowed; {uplink_gaps} told as missing");
        rowIf(
                figures.of(Count.PRESENCE_JUDGED) > 0,
                "  presence",
                "{presence_judged} compared at the end, {presence_wrong} wrong");
    }

    private void credentials() {
        String said = Format.shares(result.tables().getOrDefault(Result.AUTH_REFUSALS, Map.of()));
        rowOf("wrong credentials", "{auth_refused} refused: %s", said);
        rowOf("", "{auth_admitted} welcomed");
        rowOf("", "{auth_good_refused} good ones refused");
        rowOf("undecided", "{auth_undecided} refused because nobody could decide: {undecided}");
        rowOf(
                "renewals",
                "{auth_renewals} sent, {auth_renewed} accepted[, {auth_renewals_refused} refused]"
                        + "[, {auth_renewals_unavailable} not checked][, {auth_renewals_ignored} not answered]");
        rowOf("  answer", "{renewal}  from the newer token to its answer");
        rowOf("  warnings", "{auth_warned}[, {auth_warned_wrong} wrong][; {auth_unwarned} devices without one]");
        rowOf(
                "expired tokens",
                "{auth_expired} devices closed[, {auth_expired_late} late][, {auth_expired_wrong} with another code]");
        rowOf("", "{auth_expired_early} devices closed early");
        rowOf("", "{auth_never_expired} devices never closed");
    }

    private void detection() {
        long closed = figures.of(Count.DETECTED) + figures.of(Count.WRONG_CODES);
        rowOf(
                "silent devices",
                "%,d closed of {condemned}[, {unjudged} not watched to their deadline][, {broken_off} ended by a breach before]",
                closed);
        String indent = "";
        for (ResultFigures.Lateness kind : ResultFigures.LATENESSES) {
            if (figures.has(kind.timing())) {
                String late = Format.threePercentiles(figures.summary(kind.timing()));
                double limit = result.latenessLimitNanos() / MILLI;
                row(indent + kind.name().toLowerCase(Locale.ROOT), "%s; limit p99 %.1f ms", late, limit);
                indent = "  ";
            }
        }
        rowOf(
                "",
                "{lateness_excused} of them beyond the limit only because the generator stood still:"
                        + " seen p99 {lateness_as_seen.p99}, max {lateness_as_seen.max}");
        if (figures.has(Timing.LATENESS)) {
            row("", "close seen by the client - (its last frame sent + interval x grace): the gateway's own lateness");
            row("", "plus the way of that frame there and of the close back, never less");
        }
    }

    private void closes() {
        List<String> closes = Closes.of(result).stream().map(Closes::line).toList();
        String joined = String.join("; ", closes);
        List<String> shown = joined.length() <= MOST_COLUMNS ? List.of(joined) : closes;
        for (int i = 0; i < shown.size(); i++) {
            row(i == 0 ? "closes" : "", "%s", shown.get(i));
        }
    }

    private void kills() {
        rowOf(
                "takeovers",
                "{takeovers}, {takeovers_right} right, {takeovers_wrong} wrong"
                        + "[; older one closed p50 {takeover.p50}, max {takeover.max} after the newer one's welcome]");
        row("false kills", "{false_kills}");
        row("missed kills", "{missed_kills}");
        rowOf("wrong codes", "{wrong_codes}");
        rowOf("breaches of the wire", "{violations}");
        rowOf("left open", "{left_open} sockets after CLOSE");
        rowOf("own faults", "{own_faults} devices closed after the generator itself was late");
    }

    private void recovery(Recovery recovery) {
        row(
                "recovery",
                "%s at %,.1f s: %,d connected, down to %,d",
                Format.printable(recovery.step()),
                recovery.atSeconds(),
                recovery.connectedBefore(),
                recovery.connectedLeast());
        row(
                "",
                "back %s",
                Recovery.PERCENTAGES.stream()
                        .map(percent -> back(recovery, percent))
                        .collect(Collectors.joining(", ")));
        String text = "at most %,.0f connects/s, %,d failed attempts";
        row("", text, recovery.peakOpensPerSecond(), recovery.failedAttempts());
    }

    private static String back(Recovery recovery, int percent) {
        Double seconds = recovery.secondsTo().get(percent);
        return percent + " % " + (seconds == null ? "never" : Format.text("after %,.1f s", seconds));
    }

    private void windows() {
        String text = "{back_in_window} devices back within theirs, {back_late} let in later, {back_never} never,"
                + " {back_early} came early";
        long told = figures.of(Count.BACK_IN_WINDOW) + figures.of(Count.BACK_LATE);
        long others = figures.of(Count.BACK_NEVER) + figures.of(Count.BACK_EARLY);
        rowIf(told + others > 0, "retry windows", text);
        rowOf("", "{lost_untold} lost their connection without a GOAWAY");
    }

    private void costs(Costs costs) {
        String memory = each(costs, Costs.Side::bytes, costs.totalBytes());
        row("memory", "%s; with %,d connected", memory, costs.connections());
        double whole = costs.totalBytes() / Math.max(1, costs.connections());
        String connection = each(costs, Costs.Side::bytesPerConnection, whole);
        rowIf(costs.connections() > 0, "  a connection", "%s", connection);
        String cpu = costs.sides().stream()
                .filter(side -> Double.isFinite(side.secondsForBeats()))
                .map(side -> Format.text("%s %.1f us", side.name(), 10 * side.secondsForBeats()))
                .collect(Collectors.joining(", "));
        rowIf(
                !cpu.isEmpty(),
                "processor time",
                "a heartbeat, with all else done meanwhile: %s; kernel included, start and JIT left out",
                cpu);
        String processes = "%,d of the gateway, %,d of the generator";
        row("processes", processes, costs.gatewayProcesses(), costs.generatorProcesses());
    }

    private static String each(Costs costs, ToDoubleFunction<Costs.Side> bytes, double whole) {
        return costs.sides().stream()
                .map(side ->
                        side.name() + " " + (side.bytes() > 0 ? Format.bytes(bytes.applyAsDouble(side)) : "unknown"))
                .collect(Collectors.joining(", ", "", Double.isNaN(whole) ? "" : ", all " + Format.bytes(whole)));
    }

    private void generator() {
        OwnHealth health = result.health();
        String pacing = Format.threePercentiles(health.pacing());
        String bottleneck = result.generatorWasBottleneck() ? "the generator was the bottleneck" : "not the bottleneck";
        row("generator", "pacing lag %s; %s", pacing, bottleneck);
        double stolen = health.stolenShare();
        String robbed = Format.text("; %.1f %% stolen by the hypervisor", 100 * stolen);
        row("", "%s%s", Format.processors(health), stolen < WORTH_TELLING ? "" : robbed);
        rowOf(
                "",
                "stood still {stall.count} times, p50 {stall.p50}, max {stall.max}; what it saw late for that is taken"
                        + " off");
        row("seed", "%d", result.seed());
    }
}
