package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.told;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayIT}, of what comes late: whose doing it is, and how late is too late. */
@Tag("timed")
@Timeout(120)
final class TimingFaultsIT {

    private static final long MILLI = 1_000_000L;

    /** Three times as many as a loop lets wait at once, all due at once, before a gateway that welcomes after 500 ms. */
    private static final String CROWD = "clients = 700, duration = 1s, ramp.rate = 100000\n";

    private static final String SILENCE =
            "clients = 60, duration = 5s, behaviours = [{ kind = steady, weight = 4 }, { kind = silent, weight = 1 }]\n";
    private static final int SILENT = 12;
    /** Of them those whose id ends in 5. */
    private static final int FEW = 2;

    /** Late is not yet missed. */
    private static final String PATIENT =
            SILENCE.replace("5s", "7s") + "contract { missed-after = 3s, slack-max = 700ms }\n";

    private static final String ALLOWED = "contract { slack = 1900ms, slack-p999 = 1900ms, slack-max = 1900ms }\n";
    private static final String BEATING = "clients = 40, duration = 3s\n";
    private static final String TAKEOVER =
            """
            clients = 20, duration = 4s
            behaviours = [{ kind = steady }, { kind = duplicate-id, after = 200ms, until = 900ms }]
            """;
    private static final int TAKEN_OVER = 10;

    private static final Map<Trial, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    private static final List<Trial> TRIALS = List.of(
            new Trial(CROWD, Fault.WELCOMES_LATE),
            new Trial(BEATING, Fault.WELCOMES_TOO_LATE),
            new Trial(SILENCE, Fault.KILLS_TOO_LATE),
            new Trial(PATIENT, Fault.KILLS_A_FEW_LATE),
            new Trial(PATIENT + ALLOWED, Fault.KILLS_A_FEW_LATE),
            new Trial(TAKEOVER, Fault.CLOSES_THE_PREDECESSOR_LATE));

    @BeforeAll
    static void tryAll() {
        for (Trial trial : TRIALS) {
            RESULTS.put(trial, Trial.started(trial::result));
        }
    }

    private static Result judged(RunVerdict verdict, String scenario, Fault fault) {
        Result result = RESULTS.get(new Trial(scenario, fault)).join();
        assertEquals(verdict, result.verdict(), () -> told(result));
        return result;
    }

    private static void assertCount(long expected, Count what, Result result) {
        assertEquals(
                expected, result.counts().getOrDefault(what.label(), 0L), () -> what.label() + " of " + told(result));
    }

    private static void assertEvidence(int expected, GatewayFault.Kind kind, Result result) {
        long seen =
                result.evidence().stream().filter(each -> each.kind() == kind).count();
        assertEquals(expected, seen, () -> result.evidence().toString());
    }

    @Test
    void verdict_closedLaterThanMissedAfter_failsWithMissedKills() {
        Result result = judged(RunVerdict.FAIL, SILENCE, Fault.KILLS_TOO_LATE);
        assertCount(SILENT, Count.MISSED_KILLS, result);
        assertCount(0, Count.DETECTED, result);
        long atTheEnd = SILENT - timing(result, Timing.LATENESS).count();
        assertTrue(atTheEnd <= 3, () -> told(result));
        assertEvidence(SILENT - (int) atTheEnd, GatewayFault.Kind.CLOSED_LATE, result);
        assertEvidence((int) atTheEnd, GatewayFault.Kind.NEVER_CLOSED, result);
    }

    @Test
    void verdict_fewClosesLate_failsNamingEach() {
        Result result = judged(RunVerdict.FAIL, PATIENT, Fault.KILLS_A_FEW_LATE);
        assertCount(SILENT, Count.DETECTED, result);
        assertEvidence(FEW, GatewayFault.Kind.CLOSED_LATE, result);
        assertCount(SILENT, Count.DETECTED, judged(RunVerdict.PASS, PATIENT + ALLOWED, Fault.KILLS_A_FEW_LATE));
    }

    @Test
    void verdict_everyWelcomeLate_failsWithEach() {
        Result result = judged(RunVerdict.FAIL, BEATING, Fault.WELCOMES_TOO_LATE);
        assertCount(40, Count.WELCOMED_LATE, result);
        assertEvidence(40, GatewayFault.Kind.WELCOMED_LATE, result);
    }

    @Test
    void verdict_olderConnectionClosedLate_failsWithTakeoversWrong() {
        Result result = judged(RunVerdict.FAIL, TAKEOVER, Fault.CLOSES_THE_PREDECESSOR_LATE);
        assertCount(TAKEN_OVER, Count.TAKEOVERS_WRONG, result);
        assertCount(TAKEN_OVER, Count.TAKEOVERS_LATE, result);
        assertCount(0, Count.TAKEOVERS_RIGHT, result);
    }

    private static Latencies.Summary timing(Result result, Timing timing) {
        return result.timings().getOrDefault(timing.label(), Latencies.Summary.NOTHING);
    }

    @Test
    void connect_rampWaitsForTheGateway_queueIsStartLagAndNotLatency() {
        Result result = RESULTS.get(new Trial(CROWD, Fault.WELCOMES_LATE)).join();
        long stages = timing(result, Timing.CONNECT_TCP).p50Nanos()
                + timing(result, Timing.CONNECT_UPGRADE).p50Nanos()
                + timing(result, Timing.CONNECT_HELLO).p50Nanos();
        long connect = timing(result, Timing.CONNECT).p50Nanos();
        assertTrue(connect < stages + 250 * MILLI, () -> connect + " of stages " + stages);
        assertEquals(700, timing(result, Timing.START_LAG).count());
        assertTrue(timing(result, Timing.START_LAG).maxNanos() >= 900 * MILLI, () -> result.timings()
                .toString());
    }
}
