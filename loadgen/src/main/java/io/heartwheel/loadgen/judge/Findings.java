package io.heartwheel.loadgen.judge;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;

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
        findings.timing();
        findings.assertions(figures);
        findings.own(health);
        findings.ramp(rampCores, health.processors());
        findings.sight();
        return List.copyOf(findings.found);
    }

    private void add(boolean when, Weight weight, String text, Object... values) {
        if (when) {
            Object[] shown = Arrays.stream(values)
                    .map(value -> value instanceof Count count ? ledger.of(count) : value)
                    .toArray();
            found.add(new Finding(weight, String.format(Locale.ROOT, text, shown)));
        }
    }

    /** The count, if it is not 0. */
    private void add(Count what, Weight weight, String text, Object... more) {
        add(
                ledger.of(what) > 0,
                weight,
                text,
                Stream.concat(Stream.of(what), Arrays.stream(more)).toArray());
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }

    private void connections(long grantedLeastMillis, OwnHealth health) {
        add(Count.REFUSED, Weight.HARD, "%,d devices were refused: %s", ledger.table(Result.REFUSALS));
        welcomes(health);
        long wanted = scenario.deviceDefaults().wantedMillis();
        add(
                ledger.of(Count.OPENED) > 0
                        && wanted > 0
                        && grantedLeastMillis < wanted
                        && scenario.deviceDefaults().beatMillis() > 0
                        && ledger.of(Count.CONDEMNED) > 0,
                Weight.OWN,
                "granted %,d ms, less than the %,d ms asked for, while the beat is fixed",
                grantedLeastMillis,
                wanted);
    }

    /** A gateway that only is slow may have a machine to blame; one that welcomes nobody any more has not. */
    private void welcomes(OwnHealth health) {
        long slow = ledger.of(Count.WAITING) - ledger.of(Count.NEVER_WELCOMED);
        add(slow > 0, Weight.SOFT, "%,d devices were never welcomed", slow);
        boolean ownTrouble =
                health.bottleneck(scenario.contract().pacingLimitNanos()) || ledger.of(Count.OWN_FAILURES) > 0;
        add(
                Count.NEVER_WELCOMED,
                ownTrouble ? Weight.SOFT : Weight.HARD,
                "%,d devices were never welcomed: the gateway stopped after %,d; %,d were accepted and no more,"
                        + " %,d not begun because too many waited",
                Count.OPENED,
                Count.ACCEPTED_ONLY,
                Count.HELD_BACK);
    }

    private void closes() {
        add(Count.FALSE_KILLS, Weight.HARD, "%,d false kills");
        add(
                Count.SENT_AWAY,
                Weight.HARD,
                "%,d live devices were sent away by a GOAWAY that nobody ordered (contract.goaway-allowed)");
        long closedLate = ledger.of(Count.CLOSED_AFTER_MISSED);
        long missed = ledger.of(Count.MISSED_KILLS) - closedLate;
        add(missed > 0, Weight.HARD, "%,d missed kills: devices that should have been closed and were not", missed);
        add(
                closedLate > 0,
                Weight.TIMED,
                "%,d missed kills: devices closed more than %,d ms after their deadline (contract.missed-after)",
                closedLate,
                millis(scenario.contract().missedAfterNanos()));
        add(Count.WRONG_CODES, Weight.HARD, "%,d devices closed with another code than is due: %s", closesText());
        add(Count.VIOLATIONS, Weight.HARD, "%,d times the gateway broke the wire document");
        add(Count.LEFT_OPEN, Weight.TIMED, "%,d sockets left open after CLOSE");
        long lateTakeovers = ledger.of(Count.TAKEOVERS_LATE);
        long wrongTakeovers = ledger.of(Count.TAKEOVERS_WRONG) - lateTakeovers;
        add(wrongTakeovers > 0, Weight.HARD, "%,d takeovers went wrong", wrongTakeovers);
        add(
                lateTakeovers > 0,
                Weight.TIMED,
                "%,d takeovers went wrong: the older connection was closed more than %,d ms later (contract.missed-after)",
                lateTakeovers,
                millis(scenario.contract().missedAfterNanos()));
    }

    private String closesText() {
        StringBuilder text = new StringBuilder();
        ledger.tables()
                .forEach((table, rows) -> text.append(table.startsWith(Result.CLOSES) ? table + " " + rows + " " : ""));
        return text.toString().strip();
    }

    private void messages() {
        long passedOver = ledger.of(Count.BEATS_PASSED_OVER);
        add(
                Count.BEATS_PASSED_OVER,
                Weight.HARD,
                "%,d heartbeats of live devices never answered, though later ones were");
        long unanswered = ledger.of(Count.BEATS_UNANSWERED) - passedOver;
        add(
                unanswered > 0,
                Weight.TIMED,
                "%,d heartbeats of live devices not answered in time; %,d devices have such",
                unanswered,
                Count.DEVICES_UNANSWERED);
        add(Count.DATA_LOST, Weight.HARD, "%,d messages lost");
        add(Count.DATA_CHANGED, Weight.HARD, "%,d messages came back changed");
        refusals();
        long sent = ledger.of(Count.DATA_SENT);
        boolean unthoughtOf = !scenario.contract().messages().echoStated();
        add(
                sent > 0 && sent == ledger.of(Count.DATA_UNASKED) && unthoughtOf,
                Weight.OWN,
                "none of %,d messages was judged: their protocol has no acknowledgements; say echo = true of a server that sends them back, or echo = false",
                sent);
        add(Count.DATA_DOUBLED, Weight.HARD, "%,d messages doubled");
        add(Count.DATA_DISORDERED, Weight.HARD, "%,d messages out of order");
        add(Count.DATA_UNACKNOWLEDGED, Weight.TIMED, "%,d messages not acknowledged");
    }

    private void pushes() {
        Downlink downlink = scenario.downlink();
        if (downlink == null) {
            return;
        }
        add(Count.PUSHES_LOST, Weight.HARD, "%,d accepted pushes lost");
        add(Count.PUSHES_DOUBLED, Weight.HARD, "%,d pushes doubled");
        add(Count.PUSHES_DISORDERED, Weight.HARD, "%,d pushes out of order");
        add(Count.PUSHES_CHANGED, Weight.HARD, "%,d pushes changed");
        add(Count.PUSHES_MISDELIVERED, Weight.HARD, "%,d pushes came to devices they were not for");
        add(Count.PUSHES_REFUSED, Weight.TIMED, "%,d pushes refused: %s", ledger.table(Result.PUSH_ANSWERS));
        add(Count.PUSHES_FAILED, Weight.SOFT, "%,d calls of pushes failed: %s", ledger.table(Result.PUSH_ANSWERS));
        add(Count.PUSHES_LATE, Weight.TIMED, "%,d accepted pushes came late");
        add(Count.PUSHES_TO_NOBODY, Weight.TIMED, "%,d pushes accepted for devices that were not connected");
        add(Count.PUSHES_UNJUDGED, Weight.OWN, "%,d accepted pushes were not waited for");
        add(
                ledger.of(Count.PUSHES_CALLED) < downlink.count(),
                Weight.OWN,
                "only %,d of %,d pushes were called in time",
                Count.PUSHES_CALLED,
                downlink.count());
        add(
                ledger.of(Count.PUSHES_ACCEPTED) > 0
                        && ledger.of(Count.PUSHES_DELIVERED) + ledger.of(Count.PUSHES_LOST) == 0,
                Weight.OWN,
                "no push could be seen to come");
    }

    private void refusals() {
        long refused = ledger.of(Count.DATA_REFUSED) - ledger.of(Count.DATA_REFUSED_EXCUSED);
        long sent = ledger.of(Count.DATA_SENT);
        double allowed = scenario.contract().messages().refusedShare();
        add(
                refused > allowed * sent,
                Weight.HARD,
                "%,d of %,d messages were refused: at most %.4g %%",
                refused,
                sent,
                100 * allowed);
    }

    private void timing() {
        late(Timing.LATENESS, "detection lateness");
        late(Timing.LATENESS_HANDSHAKE, "detection lateness of handshakes");
        late(Timing.LATENESS_PROGRESS, "detection lateness of unfinished messages");
        excused();
        add(
                Count.WELCOMED_LATE,
                Weight.TIMED,
                "%,d devices were welcomed more than %,d ms after their connect (contract.welcome-within)",
                millis(scenario.contract().welcomeWithinNanos()));
    }

    private void late(Timing timing, String name) {
        Latencies.Summary lateness = ledger.of(timing).summary();
        Contract contract = scenario.contract();
        late(name + " p99", lateness.p99Nanos(), contract.latenessLimitNanos(), "slack");
        if (lateness.count() >= ENOUGH_FOR_P999) {
            late(name + " p99.9", lateness.p999Nanos(), contract.latenessP999Nanos(), "slack-p999");
        }
        late(name + " max", lateness.maxNanos(), contract.latenessMaxNanos(), "slack-max");
    }

    private void late(String name, long seenNanos, long limitNanos, String key) {
        add(
                seenNanos > limitNanos,
                Weight.TIMED,
                "%s %.1f ms: at most %.1f ms (contract.tick + %s)",
                name,
                seenNanos / MILLI,
                limitNanos / MILLI,
                key);
    }

    /** Where most was seen too late by the generator itself, what is left says little of the gateway. */
    private void excused() {
        long closes = ledger.of(Timing.LATENESS_AS_SEEN).count();
        long excused = ledger.of(Count.LATENESS_EXCUSED);
        add(
                2 * excused > closes,
                Weight.OWN,
                "%,d of %,d closes were seen too late by the generator itself to be judged",
                excused,
                closes);
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
        if (!whole) {
            // What a part of the run says of the whole is a hint at most.
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
                "the generator was the bottleneck: pacing lag p99 %.1f ms (limit %.0f), garbage collection %.1f %% (limit %.0f)",
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
        add(Count.OWN_FAILURES, Weight.OWN, "%,d sockets the own machine refused: %s", ledger.table(Result.REFUSALS));
        add(
                Count.OWN_FAULTS,
                Weight.OWN,
                "%,d devices closed after the generator itself was late with their heartbeat");
    }

    private boolean limitsAreSet() {
        return scenario.targets().stream().allMatch(target -> target.contract().limitsAll());
    }

    /** Whether enough was seen to say anything. */
    private void sight() {
        add(
                whole && ledger.of(Count.STARTED) + ledger.of(Count.HELD_BACK) < scenario.clients(),
                Weight.OWN,
                "only %,d of %,d devices were started in time",
                Count.STARTED,
                scenario.clients());
        add(Count.UNJUDGED, Weight.OWN, "%,d devices not watched to their deadline: the run was too short");
        add(
                limitsAreSet() && scenario.closedShare() * scenario.clients() >= 1 && ledger.of(Count.CONDEMNED) == 0,
                Weight.OWN,
                "no device was seen to break its promise, though some were to");
        add(
                scenario.expectsAnswers()
                        && ledger.of(Count.OPENED) > 0
                        && ledger.of(Count.BEATS_SENT) > 0
                        && ledger.of(Count.BEATS_ANSWERED)
                                        + ledger.of(Count.FALSE_KILLS)
                                        + ledger.of(Count.BEATS_UNANSWERED)
                                == 0,
                Weight.OWN,
                "no heartbeat was answered");
        add(ledger.of(Count.OPENED) == 0 && ledger.of(Count.CONDEMNED) == 0, Weight.OWN, "no device was welcomed");
    }
}
