package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Holds what was counted against the contract. A pure function of its arguments. */
final class Findings {

    private static final double MILLI = 1e6;

    private final List<Finding> found = new ArrayList<>();

    private Findings() {}

    static List<Finding> of(Plan plan, Tally sum, Muster muster, OwnHealth health) {
        Findings findings = new Findings();
        findings.connections(plan, sum, muster);
        findings.closes(sum, muster);
        findings.answers(muster);
        findings.lateness(plan, sum.lateness.summary());
        findings.own(plan, sum, muster, health);
        return List.copyOf(findings.found);
    }

    private void add(boolean when, Finding.Weight weight, String text, Object... values) {
        if (when) {
            found.add(new Finding(weight, String.format(Locale.ROOT, text, values)));
        }
    }

    private void connections(Plan plan, Tally sum, Muster muster) {
        long byGateway = sum.refused - sum.ownFailures;
        add(byGateway > 0, Finding.Weight.HARD, "%,d devices were refused: %s", byGateway, sum.refusals);
        add(muster.waiting > 0, Finding.Weight.SOFT, "%,d devices were never welcomed", muster.waiting);
        long wanted = plan.habits().wantedMillis();
        boolean other = sum.opened > 0 && wanted > 0 && (sum.grantedLeast != wanted || sum.grantedMost != wanted);
        add(
                other
                        && sum.grantedLeast < wanted
                        && plan.silentShare() > 0
                        && plan.habits().beatMillis() > 0,
                Finding.Weight.OWN,
                "granted %,d ms, less than the %,d ms asked for, while the beat is fixed",
                sum.grantedLeast,
                wanted);
    }

    private void closes(Tally sum, Muster muster) {
        add(sum.falseKills > 0, Finding.Weight.HARD, "%,d false kills", sum.falseKills);
        add(muster.missed > 0, Finding.Weight.HARD, "%,d missed kills: silent devices never closed", muster.missed);
        add(
                sum.wrongCodes > 0,
                Finding.Weight.HARD,
                "%,d silent devices closed without 4001: %s",
                sum.wrongCodes,
                sum.silentCloses);
        add(sum.violations > 0, Finding.Weight.HARD, "%,d times the gateway broke the wire document", sum.violations);
        add(muster.leftOpen > 0, Finding.Weight.SOFT, "%,d sockets left open after CLOSE", muster.leftOpen);
    }

    private void answers(Muster muster) {
        add(
                muster.unansweredBeats > 0,
                Finding.Weight.SOFT,
                "%,d heartbeats of %,d live devices unanswered",
                muster.unansweredBeats,
                muster.unansweredDevices);
    }

    private void lateness(Plan plan, Latencies.Summary lateness) {
        long limit = plan.contract().latenessLimitNanos();
        add(
                lateness.p99Nanos() > limit,
                Finding.Weight.SOFT,
                "detection lateness p99 %.1f ms: at most %.1f ms",
                lateness.p99Nanos() / MILLI,
                limit / MILLI);
    }

    private void own(Plan plan, Tally sum, Muster muster, OwnHealth health) {
        add(
                health.bottleneck(plan.contract().pacingLimitNanos()),
                Finding.Weight.OWN,
                "the generator was the bottleneck: pacing lag p99 %.1f ms (limit %.0f), garbage collection %.1f %% (limit %.0f)",
                health.pacing().p99Nanos() / MILLI,
                plan.contract().pacingLimitNanos() / MILLI,
                100 * health.collectorShare(),
                100 * OwnHealth.COLLECTOR_LIMIT);
        add(
                health.saturated(),
                Finding.Weight.DOUBT,
                "the machine was saturated: %.2f of %d processors busy; try again with less beside it",
                health.machineCores(),
                health.processors());
        add(
                sum.ownFailures > 0,
                Finding.Weight.OWN,
                "%,d sockets the own machine refused: %s",
                sum.ownFailures,
                sum.refusals);
        add(
                sum.ownFaults > 0,
                Finding.Weight.OWN,
                "%,d devices closed after the generator itself was late with their heartbeat",
                sum.ownFaults);
        add(
                muster.started < plan.clients(),
                Finding.Weight.OWN,
                "only %,d of %,d devices were started in time",
                muster.started,
                plan.clients());
        add(
                muster.unjudged > 0,
                Finding.Weight.OWN,
                "%,d silent devices not watched to their deadline: the run was too short",
                muster.unjudged);
        add(
                plan.silentShare() > 0 && sum.detected + sum.wrongCodes + sum.falseKills + muster.missed == 0,
                Finding.Weight.OWN,
                "no device was seen to fall silent and be closed");
        add(
                sum.beatsAnswered + sum.falseKills + muster.unansweredBeats == 0,
                Finding.Weight.OWN,
                "no heartbeat was answered");
    }
}
