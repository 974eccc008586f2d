package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * All that was seen and what it amounts to. A plain value: the table for people and the JSON for machines are both made
 * from it.
 *
 * @param grantedLeastMillis smallest interval granted, 0 when nobody was welcomed
 * @param sinceIntended round trips from when the heartbeat should have been sent
 * @param sinceSent round trips from when it was
 * @param silent devices that fell silent
 * @param detected of them closed in order, with 4001 and not early
 * @param lateness of their closes, as this client saw them
 * @param missed of them never closed
 * @param unjudged of them (or meant to be) not seen to the end
 * @param silentCloses closes of silent devices by code; 0 is none
 * @param liveCloses closes of live devices by code
 * @param leftOpen sockets the gateway said CLOSE on and did not close
 */
public record Outcome(
        Verdict verdict,
        List<Finding> findings,
        long seed,
        int clients,
        Map<String, Long> clientsByTarget,
        long opened,
        long refused,
        long waiting,
        Map<String, Long> refusals,
        long liveAtEnd,
        long grantedLeastMillis,
        long grantedMostMillis,
        long beatsSent,
        long beatsAnswered,
        long unansweredBeats,
        long unansweredDevices,
        Latencies.Summary sinceIntended,
        Latencies.Summary sinceSent,
        long dataSent,
        long dataAccepted,
        long dataRefused,
        long silent,
        long detected,
        Latencies.Summary lateness,
        long latenessLimitNanos,
        long missed,
        long unjudged,
        long falseKills,
        long ownFaults,
        long wrongCodes,
        Map<Integer, Long> silentCloses,
        Map<Integer, Long> liveCloses,
        long leftOpen,
        long violations,
        long probesToLive,
        long probesToSilent,
        List<Evidence> evidence,
        OwnHealth health,
        boolean generatorWasBottleneck) {

    private static final int MOST_EVIDENCE = 20;

    static Outcome of(Plan plan, Tally sum, Muster muster, OwnHealth health) {
        List<Finding> findings = Findings.of(plan, sum, muster, health);
        List<Evidence> evidence = sum.evidence.stream()
                .sorted(Comparator.comparing(Evidence::kind))
                .limit(MOST_EVIDENCE)
                .toList();
        return new Outcome(
                Finding.verdict(findings),
                findings,
                plan.seed(),
                plan.clients(),
                plan.clientsByTarget(),
                sum.opened,
                sum.refused,
                muster.waiting,
                sum.refusals,
                muster.liveOpen,
                sum.opened == 0 ? 0 : sum.grantedLeast,
                sum.grantedMost,
                sum.beatsSent,
                sum.beatsAnswered,
                muster.unansweredBeats,
                muster.unansweredDevices,
                sum.sinceIntended.summary(),
                sum.sinceSent.summary(),
                sum.dataSent,
                sum.dataAccepted,
                sum.dataRefused,
                muster.silentDevices,
                sum.detected,
                sum.lateness.summary(),
                plan.contract().latenessLimitNanos(),
                muster.missed,
                muster.unjudged,
                sum.falseKills,
                sum.ownFaults,
                sum.wrongCodes,
                sum.silentCloses,
                sum.liveCloses,
                muster.leftOpen,
                sum.violations,
                sum.probesToLive,
                sum.probesToSilent,
                evidence,
                health,
                health.bottleneck(plan.contract().pacingLimitNanos()));
    }
}
