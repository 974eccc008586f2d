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
import java.util.stream.Stream;

/** A result for people, as lines of about 100 columns. What a run had nothing of is left out. Stateless; any thread. */
public final class VerdictTable {

    private static final int MOST_OF_A_KIND = 4;

    private static final double MILLI = 1e6;
    private static final int MOST_COLUMNS = 100;
    private static final double WORTH_TELLING = 0.001;

    // Rows of figures, name | text. One is shown if its first figure is above 0, any that is named after a question
    // mark is, or none is.
    private static final String REFUSED =
            """
             | {refused} refused: %1$s
             | {own_failures} not made by this machine: %2$s
             | {turned_away} turned away, {back_in_window} came in in their time[, {back_late} late]
            """;
    private static final String CONNECTED =
            """
            connect latency | {connect}  from the connect to the welcome
              TCP | {connect_tcp}
              TLS | {connect_tls}
              upgrade | {connect_upgrade}
              HELLO | {connect_hello}
            start lag | {start_lag}  from a device's turn to its connect
            welcomed late | {welcomed_late} devices, after more than contract.welcome-within
            """;
    private static final String TRAFFIC =
            """
            heartbeats | {beats_sent} sent, {beats_answered} answered[, {beats_late} of them late], \
            {beats_unanswered} unanswered by {devices_unanswered} live devices[, {beats_open} left open]; \
            probes {probes_to_live} to live, {probes_to_silent} to silent
            round trip | {round_trip}  from the intended send time, after the ramp
              cold | {round_trip_cold}  of the warm-up, which the others leave out
              while connecting | {round_trip_ramp}  before observation, which no limit is for
              with a crowd | {round_trip_crowd}  from when it comes on
              uncorrected | {round_trip_uncorrected}  from the actual send time
            data | {data_sent} sent, {data_accepted} accepted[, {data_acknowledged_late} of them late], \
            {data_refused} refused, {data_unacknowledged} unacknowledged; \
            {data_echoed} came back[, {data_late} late][; {data_held_back} held back]
             ?data_sent | {data_lost} lost, {data_changed} changed, {data_doubled} doubled, {data_disordered} out of order\
            [, {data_misdelivered} to other devices][; {data_unknown} left open by the end of their connection or of the run]
              round trip | {data_round_trip}  from the intended send time
              uncorrected | {data_round_trip_uncorrected}  from the actual send time
              coming back | {echo_round_trip}  from the intended send time
              uncorrected | {echo_round_trip_uncorrected}  from the actual send time
            pushes | {pushes_called} called, {pushes_accepted} accepted, {pushes_delivered} delivered; \
            {pushes_refused} refused, {pushes_failed} failed[, {pushes_failed_excused} while the server was down], \
            {pushes_absent} to absent devices[, {pushes_refused_excused} to those of a gateway that stood still]
             ?pushes_called | {pushes_lost} lost, {pushes_late} late[, {pushes_early} early], {pushes_doubled} doubled, \
            {pushes_disordered} out of order, {pushes_changed} changed, {pushes_misdelivered} to others, \
            {pushes_to_nobody} to nobody[, {pushes_stale} to a connection taken over before]
             | {pushes_excused} not come to devices that were not connected all the time: not judged
             ?pushes_acknowledged ?pushes_expired | {pushes_acknowledged} told as delivered, {pushes_unproven} of them wrongly; \
            {pushes_expired} expired, {pushes_expired_wrong} of them wrongly[; {pushes_queued} kept]; \
            {pushes_repeated} came again as they may, {pushes_renamed} under another id; {pushes_contradicted} with two answers
              schedules ?runs_came ?schedules_stopped | {runs_came} runs came, {runs_doubled} twice\
            [, {runs_again_excused} again while a gateway was stopped]; {runs_judged} times when all was calm, {runs_missed} missed; \
            {runs_late} interruptions too long
             ?runs_came ?schedules_stopped | {schedules_going} went on to the end, {schedules_stopped} did not\
            [, {schedules_unjudged} not judged]
              latency | {push}  from the intended push to the device
              latency, to many | {push_to_all}
              latency, later | {push_later}  from when it was due to a device that was there
              latency, cold | {push_cold}  of the first pushes, which the others leave out
              call | {push_call}  from the call to its answer
              call, received | {push_call_received}
              call, acknowledged | {push_call_device}  of devices that acknowledge at once
              call, kept | {push_call_stored}
              call, cold | {push_call_cold}
            uplink | {uplink_events} events in {uplink_requests} requests[, {uplink_disturbed} of them disturbed by plan]; \
            {uplink_came} of {data_accepted} acknowledged messages came out[; {data_resent} sent again]
             ?uplink_events ?uplink_lost | {uplink_lost} lost, {uplink_changed} changed, {uplink_out_of_order} out of order; \
            {uplink_doubled} twice and {uplink_repeated} repeated, which is allowed; {uplink_gaps} told as missing
              presence | {presence_judged} compared at the end, {presence_wrong} wrong
              fleet ?takeovers_elsewhere ?nodes_down ?holders_stale ?epochs_fallen | {takeovers_told} takeovers told, \
            {takeovers_elsewhere} of them at another gateway[, {takeovers_untold} by nobody]; {epochs_fallen} epochs fell, \
            {holders_stale} stale holders[; {nodes_down} gateways told to be down][ with {node_lost} connections]
            wrong credentials | {auth_refused} refused: %1$s
             | {auth_admitted} welcomed
             | {auth_good_refused} good ones refused
            undecided | {auth_undecided} refused because nobody could decide: {undecided}
            renewals | {auth_renewals} sent, {auth_renewed} accepted[, {auth_renewals_refused} refused]\
            [, {auth_renewals_unavailable} not checked][, {auth_renewals_ignored} not answered]
              answer | {renewal}  from the newer token to its answer
              warnings | {auth_warned}[, {auth_warned_wrong} wrong][; {auth_unwarned} devices without one]
            expired tokens | {auth_expired} devices closed[, {auth_expired_late} late]\
            [, {auth_expired_wrong} with another code]
             | {auth_expired_early} devices closed early
             | {auth_never_expired} devices never closed
            """;
    private static final String KILLS =
            """
            takeovers | {takeovers}, {takeovers_right} right, {takeovers_wrong} wrong\
            [; older one closed p50 {takeover.p50}, max {takeover.max} after the newer one's welcome]
            false kills ? | {false_kills}
            missed kills ? | {missed_kills}
            wrong codes | {wrong_codes}
            breaches of the wire | {violations}
            left open | {left_open} sockets after CLOSE
            own faults | {own_faults} devices closed after the generator itself was late
            """;
    private static final String WINDOWS =
            """
            retry windows ?back_in_window ?back_late ?back_never ?back_early | {back_in_window} devices back within theirs, \
            {back_late} let in later, {back_never} never, {back_early} came early
             | {lost_untold} lost their connection without a GOAWAY
            """;

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
        table.rows(TRAFFIC, table.shares(Result.AUTH_REFUSALS));
        table.detection();
        table.closes();
        table.rows(KILLS);
        result.recoveries().forEach(table::recovery);
        table.rows(WINDOWS);
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

    /** The rows of a text of these; the values stand for {@code %1$s} and so on. */
    private void rows(String rows, Object... values) {
        rows.lines().forEach(row -> {
            String[] parts = row.split(" *\\| ", 2);
            String[] name = parts[0].split(" *\\?", -1);
            boolean any =
                    Stream.of(name).skip(1).anyMatch(figure -> figure.isEmpty() || figures.any("{" + figure + "}"));
            rowIf(name.length > 1 ? any : figures.any(parts[1]), name[0], parts[1], values);
        });
    }

    private String shares(String table) {
        return Format.shares(result.tables().getOrDefault(table, Map.of()));
    }

    private void connections() {
        long connected = figures.connected();
        boolean mixed = result.clientsByBehaviour().size() > 1;
        String targets = Format.shares(result.clientsByTarget());
        row("connected", "%,d of %,d; %s%s", connected, result.clients(), targets, mixed ? "" : "; " + granted());
        rowIf(mixed, "", "%s; %s", Format.shares(result.clientsByBehaviour()), granted());
        rows(REFUSED, shares(Result.REFUSALS), shares(Result.OWN_FAILURES));
        double seconds = result.rampSeconds();
        rowIf(seconds > 0, "time to connect", "%,.1f s, %,.0f connections/s", seconds, connected / seconds);
        rows(CONNECTED);
    }

    private String granted() {
        long least = result.grantedLeastMillis();
        return "granted " + (least == result.grantedMostMillis() ? least : least + ".." + result.grantedMostMillis())
                + " ms";
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
        String text = "a heartbeat, with all else done meanwhile: %s; kernel included, start and JIT left out";
        rowIf(!cpu.isEmpty(), "processor time", text, cpu);
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
