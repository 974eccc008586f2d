package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.judge.Finding.Weight;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Assertion;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Comparison of what was counted with the contract. A pure function of its arguments. */
final class Findings {

    private static final double MILLI = 1e6;
    /** One of a thousand is not one of a hundred. */
    private static final long ENOUGH_FOR_P999 = 1_000;

    private final List<Finding> found = new ArrayList<>();
    private final Scenario scenario;
    private final Ledger ledger;
    private final boolean whole;

    private Findings(Scenario scenario, Ledger ledger, boolean whole) {
        this.scenario = scenario;
        this.ledger = ledger;
        this.whole = whole;
    }

    /**
     * What speaks against a PASS.
     *
     * @param grantedLeastMillis smallest interval granted
     * @param lost what is missing of the run, in words
     * @param figures what the scenario's own assertions ask for
     */
    static List<Finding> of(
            Scenario scenario,
            Ledger ledger,
            long grantedLeastMillis,
            List<String> lost,
            OwnHealth health,
            double rampCores,
            Function<String, OptionalDouble> figures) {
        Findings findings = new Findings(scenario, ledger, lost.isEmpty());
        lost.forEach(text -> findings.add(true, Weight.OWN, "%s", text));
        findings.connections(grantedLeastMillis, health);
        findings.closes();
        findings.messages();
        findings.pushes();
        findings.uplink();
        findings.credentials();
        findings.timing();
        findings.assertions(figures);
        findings.own(health);
        findings.ramp(rampCores, health.processors());
        findings.sight();
        return List.copyOf(findings.found);
    }

    private void add(boolean when, Weight weight, String text, Object... values) {
        // said in any case, so that a name that nothing has is found by whatever run comes first
        Finding finding = new Finding(weight, ledger.text(text, values));
        if (when) {
            found.add(finding);
        }
    }

    /** A text whose first figure is above 0. */
    private void add(Weight weight, String text, Object... values) {
        add(ledger.any(text), weight, text, values);
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }

    /** A finding a line: its weight, and a text whose first figure is above 0. */
    private void add(String lines, Object... values) {
        lines.lines().map(line -> line.split(" ", 2)).forEach(line -> add(Weight.valueOf(line[0]), line[1], values));
    }

    private void connections(long grantedLeastMillis, OwnHealth health) {
        add(Weight.HARD, "{refused} devices were refused: %s", ledger.table(Result.REFUSALS));
        welcomes(health);
        long wanted = scenario.deviceDefaults().wantedMillis();
        boolean less = ledger.of(Count.OPENED) > 0 && wanted > 0 && grantedLeastMillis < wanted;
        boolean fixed = scenario.deviceDefaults().beatMillis() > 0 && ledger.of(Count.CONDEMNED) > 0;
        String text = "granted %,d ms, less than the %,d ms asked for, while the beat is fixed";
        add(less && fixed, Weight.OWN, text, grantedLeastMillis, wanted);
    }

    /** A gateway that only is slow may have a machine to blame; one that welcomes nobody any more has not. */
    private void welcomes(OwnHealth health) {
        long slow = ledger.of(Count.WAITING) - ledger.of(Count.NEVER_WELCOMED);
        add(slow > 0, Weight.SOFT, "%,d devices were never welcomed", slow);
        boolean own = health.bottleneck(scenario.contract().pacingLimitNanos()) || ledger.of(Count.OWN_FAILURES) > 0;
        String text = "{never_welcomed} devices were never welcomed: the gateway stopped after {opened};"
                + " {accepted_only} were accepted and no more, {held_back} not begun because too many waited";
        add(own ? Weight.SOFT : Weight.HARD, text);
    }

    private void closes() {
        int before = found.size();
        closesAsPromised();
        List<Target> assumed =
                scenario.targets().stream().filter(Target::assumed).toList();
        if (found.size() > before && !assumed.isEmpty() && !scenario.gateways().start()) {
            Finding first = found.get(before);
            String hint = String.format(
                    Locale.ROOT,
                    "%s; nobody said what %s promises, so silent devices were to be closed with %s: say it by"
                            + " --contract \"grace = none\" if it closes nobody for silence, else for example by"
                            + " --contract \"interval = 30s, grace = 2, close = any\", or in the scenario: contract { ... }",
                    first.text(),
                    assumed.get(0).label(),
                    assumed.get(0).contract().silent().text());
            found.set(before, new Finding(first.weight(), hint));
        }
    }

    private void closesAsPromised() {
        long missed = ledger.of(Count.MISSED_KILLS) - ledger.of(Count.CLOSED_AFTER_MISSED);
        String closes = ledger.tables().entrySet().stream()
                .filter(table -> table.getKey().startsWith(Result.CLOSES))
                .map(table -> table.getKey() + " " + table.getValue())
                .collect(Collectors.joining(" "));
        add(
                """
                HARD {false_kills} false kills
                HARD {sent_away} live devices were sent away by a GOAWAY that nobody ordered (contract.goaway-allowed)
                HARD {wrong_codes} devices closed with another code than is due: %s
                HARD {violations} times the gateway broke the wire document
                TIMED {left_open} sockets left open after CLOSE
                """,
                closes);
        add(missed > 0, Weight.HARD, "%,d missed kills: devices that should have been closed and were not", missed);
        long wrongTakeovers = ledger.of(Count.TAKEOVERS_WRONG) - ledger.of(Count.TAKEOVERS_LATE);
        add(wrongTakeovers > 0, Weight.HARD, "%,d takeovers went wrong", wrongTakeovers);
        add(
                """
                TIMED {closed_after_missed} missed kills: devices closed more than %1$,d ms after their deadline \
                (contract.missed-after)
                TIMED {takeovers_late} takeovers went wrong: the older connection was closed more than %1$,d ms later \
                (contract.missed-after)
                """,
                millis(scenario.contract().missedAfterNanos()));
    }

    private void messages() {
        long unanswered = ledger.of(Count.BEATS_UNANSWERED) - ledger.of(Count.BEATS_PASSED_OVER);
        String beats = "%,d heartbeats of live devices not answered; {devices_unanswered} devices have such";
        add(unanswered > 0, Weight.TIMED, beats, unanswered);
        add(
                """
                HARD {beats_passed_over} heartbeats of live devices never answered, though later ones were
                TIMED {beats_late} heartbeats of live devices answered late (contract.answer-within)
                HARD {data_misdelivered} messages came to devices that had not sent them
                HARD {data_lost} messages lost
                HARD {data_changed} messages came back changed
                HARD {data_doubled} messages doubled
                HARD {data_disordered} messages out of order
                TIMED {data_unacknowledged} messages not acknowledged
                TIMED {data_acknowledged_late} messages acknowledged late (contract.answer-within)
                TIMED {data_late} messages came back late (contract.echo-within)
                """);
        long refused = ledger.of(Count.DATA_REFUSED) - ledger.of(Count.DATA_REFUSED_EXCUSED);
        double allowed = scenario.contract().messages().refusedShare();
        String many = "%,d of {data_sent} messages were refused: at most %.4g %%";
        add(refused > allowed * ledger.of(Count.DATA_SENT), Weight.HARD, many, refused, 100 * allowed);
        long sent = ledger.of(Count.DATA_SENT);
        boolean unthoughtOf = !scenario.contract().messages().echoStated();
        String unjudged = "none of {data_sent} messages was judged: their protocol has no acknowledgements;"
                + " say echo = true of a server that sends them back, or echo = false";
        add(sent > 0 && sent == ledger.of(Count.DATA_UNASKED) && unthoughtOf, Weight.OWN, unjudged);
    }

    private void pushes() {
        if (scenario.downlinks().isEmpty()) {
            return;
        }
        add(
                """
                HARD {pushes_lost} accepted pushes lost
                HARD {pushes_unproven} pushes told as delivered that were not, or not acknowledged
                HARD {pushes_contradicted} pushes had answers that contradict each other
                HARD {pushes_renamed} pushes came under another id than before, or than their caller was told
                TIMED {pushes_expired_wrong} pushes expired before their time, or though acknowledged in time
                HARD {pushes_early} scheduled pushes came before their time
                HARD {pushes_doubled} pushes doubled
                HARD {pushes_disordered} pushes out of order
                HARD {pushes_changed} pushes changed
                HARD {pushes_misdelivered} pushes came to devices they were not for
                HARD {pushes_stale} pushes came to connections that had been taken over before
                TIMED {pushes_refused} pushes refused: %1$s
                SOFT {pushes_failed} calls of pushes failed: %1$s
                TIMED {pushes_late} accepted pushes came late
                TIMED {pushes_to_nobody} pushes accepted for devices that were not connected
                OWN {pushes_unjudged} accepted pushes were not waited for
                HARD {runs_doubled} runs of schedules came twice
                HARD {runs_missed} runs of schedules did not come though all was calm
                HARD {schedules_stopped} schedules did not go on to the end
                TIMED {runs_late} times a schedule did not run for longer than downlink.within
                """,
                ledger.table(Result.PUSH_ANSWERS));
        long count = scenario.downlinks().stream().mapToLong(Downlink::count).sum();
        boolean few = ledger.of(Count.PUSHES_CALLED) < count;
        add(few, Weight.OWN, "only {pushes_called} of %,d pushes were called in time", count);
        boolean seen =
                ledger.of(Count.PUSHES_DELIVERED) + ledger.of(Count.PUSHES_LOST) + ledger.of(Count.RUNS_CAME) > 0;
        long promised = ledger.of(Count.PUSHES_ACCEPTED)
                + ledger.of(Count.PUSHES_ACKNOWLEDGED)
                + ledger.of(Count.PUSHES_QUEUED);
        add(promised > 0 && !seen, Weight.OWN, "no push could be seen to come");
        boolean endless = scenario.downlinks().stream().anyMatch(Downlink::isEndless);
        boolean unjudged = endless && ledger.of(Count.RUNS_JUDGED) == 0;
        add(unjudged, Weight.OWN, "no schedule had a time at which all was calm and its device connected");
    }

    private void uplink() {
        if (scenario.uplink() == null) {
            return;
        }
        add(
                """
                HARD {uplink_lost} acknowledged messages never came out
                HARD {uplink_changed} messages came out changed, or nobody sent them
                HARD {uplink_out_of_order} messages came out behind a later one of the same connection
                HARD {presence_wrong} devices whose presence by the events was wrong at the end
                HARD {holders_stale} connections still open by the events beside a newer one of their device
                HARD {epochs_fallen} welcomes with an epoch that is not larger than the one before
                HARD {takeovers_untold} connections told as taken over by one that no event tells of
                HARD {nodes_down_again} ends of gateways told more than once
                HARD {uplink_unsigned} requests of the outlet without a valid signature
                HARD {uplink_malformed} requests or records of the outlet that are no CloudEvents
                OWN {uplink_unreadable} times the run's receiver could not read its topic
                OWN {uplink_unjudged} acknowledged messages were not waited for
                """);
        boolean nothing = whole && ledger.of(Count.DATA_ACCEPTED) > 0 && ledger.of(Count.UPLINK_REQUESTS) == 0;
        add(nothing, Weight.OWN, "nothing of the gateway's outlet came to the run's receiver");
    }

    private void credentials() {
        if (scenario.auth() == null) {
            return;
        }
        add(
                """
                HARD {auth_admitted} devices were welcomed with a wrong credential
                HARD {auth_refused_wrong} wrong credentials refused with another answer than is due: %1$s
                HARD {auth_good_refused} connections refused for a credential that was good
                HARD {auth_expired_early} devices closed as expired while the token in force was good
                HARD {auth_never_expired} devices whose token expired were not closed
                HARD {auth_expired_wrong} devices whose token had expired were closed with another code
                TIMED {auth_expired_late} devices closed more than %2$,d ms after their token expired \
                (contract.missed-after)
                HARD {auth_renewals_refused} good newer tokens refused
                HARD {auth_renewals_ignored} newer tokens not answered in time
                TIMED {auth_renewals_unavailable} newer tokens that nobody could check
                TIMED {auth_warned_wrong} warnings at the wrong time, or that tell a wrong one
                HARD {auth_unwarned} devices closed for an expired token without a warning
                """,
                ledger.table(Result.AUTH_REFUSALS), millis(scenario.contract().missedAfterNanos()));
    }

    private void timing() {
        late(Timing.LATENESS, "detection lateness");
        late(Timing.LATENESS_HANDSHAKE, "detection lateness of handshakes");
        late(Timing.LATENESS_PROGRESS, "detection lateness of unfinished messages");
        late(Timing.LATENESS_EXPIRY, "lateness of expired tokens");
        boolean unseen = 2 * ledger.of(Count.LATENESS_EXCUSED)
                > ledger.summary(Timing.LATENESS_AS_SEEN).count();
        String own = "{lateness_excused} of {lateness_as_seen.count} closes were seen too late by the generator itself"
                + " to be judged";
        add(unseen, Weight.OWN, own);
        long within = millis(scenario.contract().welcomeWithinNanos());
        String late = "{welcomed_late} devices were welcomed more than %,d ms after their connect"
                + " (contract.welcome-within)";
        add(Weight.TIMED, late, within);
    }

    private void late(Timing timing, String name) {
        Latencies.Summary lateness = ledger.summary(timing);
        Contract contract = scenario.contract();
        late(name + " p99", lateness.p99Nanos(), contract.latenessLimitNanos(), "slack");
        if (lateness.count() >= ENOUGH_FOR_P999) {
            late(name + " p99.9", lateness.p999Nanos(), contract.latenessP999Nanos(), "slack-p999");
        }
        late(name + " max", lateness.maxNanos(), contract.latenessMaxNanos(), "slack-max");
    }

    private void late(String name, long seenNanos, long limitNanos, String key) {
        String text = name + " %.1f ms: at most %.1f ms (contract.tick + " + key + ")";
        add(seenNanos > limitNanos, Weight.TIMED, text, seenNanos / MILLI, limitNanos / MILLI);
    }

    private void assertions(Function<String, OptionalDouble> figures) {
        for (Assertion assertion : scenario.assertions()) {
            OptionalDouble seen = figures.apply(assertion.figure());
            add(
                    !assertion.holds(figures),
                    weight(assertion),
                    "asserted %s: %s",
                    assertion.text(),
                    seen.isEmpty() ? "it was not seen" : "it was " + assertion.shown(seen.getAsDouble()));
        }
    }

    private Weight weight(Assertion assertion) {
        if (!whole || ledger.of(Count.OWN_FAILURES) > 0) {
            // What a part of the devices says of the whole is a hint at most.
            return Weight.SOFT;
        }
        return assertion.isOfGateway() ? Weight.TIMED : assertion.dependsOnSpeed() ? Weight.SOFT : Weight.HARD;
    }

    /** While devices connected, which is no part of what {@link OwnHealth} tells. */
    private void ramp(double machineCores, int processors) {
        add(
                ledger.of(Count.WELCOMED_LATE) > 0 && machineCores > OwnHealth.SATURATED * processors,
                Weight.DOUBT,
                "the machine was saturated while devices connected: %.2f of %d processors busy; try a slower ramp",
                machineCores,
                processors);
    }

    private void own(OwnHealth health) {
        long limit = scenario.contract().pacingLimitNanos();
        add(
                health.bottleneck(limit),
                Weight.OWN,
                "the generator was the bottleneck: pacing lag p99 %.1f ms (limit %.0f), garbage collection %.1f %%"
                        + " (limit %.0f)",
                health.pacing().p99Nanos() / MILLI,
                limit / MILLI,
                100 * health.collectorShare(),
                100 * OwnHealth.COLLECTOR_LIMIT);
        add(
                health.saturated(),
                Weight.DOUBT,
                "the machine was saturated: %.2f of %d processors busy; try again with less beside it",
                health.machineCores(),
                health.processors());
        add(health.robbed(), Weight.DOUBT, "%s", health.stolenText());
        Map<String, Long> failed = ledger.table(Result.OWN_FAILURES);
        add(Weight.OWN, "{own_failures} sockets the own machine refused: %s%s", failed, remedies("; ", failed));
        String pushing = remedies("", ledger.table(Result.PUSH_ANSWERS));
        add(!pushing.isEmpty(), Weight.OWN, "pushes failed on the own machine: %s", pushing);
        add(Weight.OWN, "{own_faults} devices closed after the generator itself was late with their heartbeat");
    }

    private static String remedies(String before, Map<String, Long> failures) {
        return failures.keySet().stream()
                .map(ConnectionEnd::remedy)
                .filter(remedy -> !remedy.isEmpty())
                .distinct()
                .map(remedy -> before + remedy)
                .collect(Collectors.joining());
    }

    private boolean limitsAreSet() {
        return scenario.targets().stream().allMatch(target -> target.contract().limitsAll());
    }

    /** Whether enough was seen to say anything. */
    private void sight() {
        add(
                whole && ledger.of(Count.STARTED) + ledger.of(Count.HELD_BACK) < scenario.clients(),
                Weight.OWN,
                "only {started} of %,d devices were started in time",
                scenario.clients());
        add(Weight.OWN, "{unjudged} devices not watched to their deadline: the run was too short");
        add(Weight.OWN, "{broken_off} devices not watched to their deadline: a breach of the wire document ended them");
        add(
                limitsAreSet() && scenario.closedShare() * scenario.clients() >= 1 && ledger.of(Count.CONDEMNED) == 0,
                Weight.OWN,
                "no device was seen to break its promise, though some were to");
        boolean asked = ledger.of(Count.OPENED) > 0 && ledger.of(Count.BEATS_SENT) > 0;
        long judged =
                ledger.of(Count.BEATS_ANSWERED) + ledger.of(Count.FALSE_KILLS) + ledger.of(Count.BEATS_UNANSWERED);
        add(scenario.expectsAnswers() && asked && judged == 0, Weight.OWN, "no heartbeat was answered");
        add(
                ledger.of(Count.OPENED) + ledger.of(Count.CONDEMNED) + ledger.of(Count.AUTH_REFUSED) == 0,
                Weight.OWN,
                "no device was welcomed");
    }
}
