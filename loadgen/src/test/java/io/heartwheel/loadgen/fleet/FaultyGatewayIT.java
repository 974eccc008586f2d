package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.fleet.Told.count;
import static io.heartwheel.loadgen.fleet.Told.told;
import static io.heartwheel.loadgen.measure.Count.CONDEMNED;
import static io.heartwheel.loadgen.measure.Count.DATA_DISORDERED;
import static io.heartwheel.loadgen.measure.Count.DATA_DOUBLED;
import static io.heartwheel.loadgen.measure.Count.DATA_LOST;
import static io.heartwheel.loadgen.measure.Count.DATA_UNACKNOWLEDGED;
import static io.heartwheel.loadgen.measure.Count.DETECTED;
import static io.heartwheel.loadgen.measure.Count.DEVICES_UNANSWERED;
import static io.heartwheel.loadgen.measure.Count.EXCUSED;
import static io.heartwheel.loadgen.measure.Count.FALSE_KILLS;
import static io.heartwheel.loadgen.measure.Count.LEFT_OPEN;
import static io.heartwheel.loadgen.measure.Count.LIVE_AT_END;
import static io.heartwheel.loadgen.measure.Count.LOST;
import static io.heartwheel.loadgen.measure.Count.MISSED_KILLS;
import static io.heartwheel.loadgen.measure.Count.OWN_FAULTS;
import static io.heartwheel.loadgen.measure.Count.RECOVERED;
import static io.heartwheel.loadgen.measure.Count.REFUSED;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS_RIGHT;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS_WRONG;
import static io.heartwheel.loadgen.measure.Count.UNJUDGED;
import static io.heartwheel.loadgen.measure.Count.VIOLATIONS;
import static io.heartwheel.loadgen.measure.Count.WRONG_CODES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Faults of a gateway over real sockets, and the verdict on each. A judge that fails nobody proves nothing, and one that fails an honest gateway is
 * worse: that one passes every scenario, and each fault costs the PASS with exactly as many counts as it was planted.
 */
@Tag("timed")
@Timeout(120)
final class FaultyGatewayIT {

    private static final long MILLI = 1_000_000L;

    private static final String BEATING = "clients = 40, duration = 3s\n";
    private static final String SILENCE =
            "clients = 60, duration = 5s, behaviours = [{ kind = steady, weight = 4 }, { kind = silent, weight = 1 }]\n";
    private static final int SILENT = 12;
    private static final String VANISHING =
            "clients = 40, duration = 5s, behaviours = [{ kind = steady, weight = 3 }, { kind = vanishing, weight = 1 }]\n";
    private static final int VANISHED = 10;
    private static final String MESSAGES =
            "clients = 30, duration = 3s, echo = true, behaviours = [{ kind = chatty, rate = 6 }]\n";
    private static final int SENDERS = 30;
    private static final String TAKEOVER =
            """
            clients = 20, duration = 4s
            behaviours = [{ kind = steady }, { kind = duplicate-id, after = 200ms, until = 900ms }]
            """;
    private static final int TAKEN_OVER = 10;
    private static final String MOVING =
            """
            clients = 30, duration = 4s, behaviours = [
              { kind = nat-rebind, after = 200ms, until = 900ms }, { kind = roaming, after = 200ms, until = 900ms }
              { kind = duplicate-id, after = 200ms, until = 900ms }
            ]
            """;
    private static final String GREETING =
            "# tcp-only\nclients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = never-hello }]\n";
    private static final int UNGREETED = 10;
    private static final String DRIPPING =
            "# tcp-only\nclients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = byte-drip, gap = 100ms }]\n";
    private static final int DRIPS = 10;
    private static final String STUCK =
            "# tcp-only\nclients = 3, duration = 8s, behaviours = [{ kind = steady, weight = 2 }, { kind = slow-reader }]\n";
    private static final int SLOW = 1;
    /** Cut for 0.7 s after a silence of at most 0.3 s: 1.5 s are allowed. */
    private static final String BLINK =
            """
            clients = 40, duration = 4s, heartbeat.share = 0.3, contract.missed-after = 350ms
            timeline = [{ at = 1s, do = cut, share = 0.5, for = 700ms }]
            """;

    private static final String PARTITION =
            """
            clients = 40, duration = 7s, reconnect { policy = fixed, base = 200ms }
            timeline = [{ at = 500ms, do = cut, share = 0.5, for = 3s }]
            """;
    private static final int CUT = 20;
    private static final String SILENCING =
            """
            clients = 40, duration = 5s
            timeline = [{ at = 500ms, do = silence, share = 0.25 }, { at = 600ms, do = vanish, share = 0.25 }]
            """;
    private static final String LATE =
            "clients = 20, duration = 6s, reconnect.policy = naive, behaviours = [{ kind = late, by = 1.2, every = 2 }]\n";
    private static final String UNSTEADY =
            """
            clients = 30, duration = 4s, behaviours = [
              { kind = flapping, up = 600ms, down = 300ms }, { kind = late, by = 0.4, every = 2 }
              { kind = leaving, after = 500ms, until = 2s }, { kind = reset, after = 500ms, until = 2s }
            ]
            """;
    private static final String RESTART =
            """
            clients = 40, duration = 5s, reconnect { policy = obey, base = 200ms, cap = 1s }
            behaviours = [{ kind = steady, weight = 3 }, { kind = silent, after = 0s }]
            timeline = [{ at = 1s, do = restart }]
            """;
    private static final String IMPATIENT = BEATING + "assert = [\"connect_hello.p50 <= 250ms\"]\n";

    private static final Map<Trial, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    private static final List<Trial> HONEST = honest(
            SILENCE, VANISHING, MESSAGES, MOVING, GREETING, DRIPPING, STUCK, BLINK, PARTITION, SILENCING, LATE,
            UNSTEADY, RESTART, IMPATIENT);

    private static List<Trial> honest(String... scenarios) {
        List<Trial> trials = new ArrayList<>();
        for (String scenario : scenarios) {
            trials.add(new Trial(scenario, Fault.NONE));
        }
        return trials;
    }

    /** What is planted, and what it is planted into; the longest first. */
    private static final List<Trial> FAULTY = List.of(
            new Trial(STUCK, Fault.STALL_NEVER),
            new Trial(PARTITION, Fault.NEVER_KILLS),
            new Trial(LATE, Fault.NEVER_KILLS),
            new Trial(SILENCE, Fault.KILLS_EARLY),
            new Trial(SILENCE, Fault.NEVER_KILLS),
            new Trial(SILENCE, Fault.KILLS_LATE),
            new Trial(SILENCE, Fault.WRONG_CODE),
            new Trial(SILENCE, Fault.NO_CODE),
            new Trial(SILENCE, Fault.LEAVES_OPEN),
            new Trial(SILENCING, Fault.NEVER_KILLS),
            new Trial(VANISHING, Fault.NEVER_KILLS),
            new Trial(BLINK, Fault.KILLS_IN_THE_DARK),
            new Trial(TAKEOVER, Fault.CLOSES_THE_SUCCESSOR),
            new Trial(TAKEOVER, Fault.REFUSES_THE_SUCCESSOR),
            new Trial(TAKEOVER, Fault.KEEPS_THE_PREDECESSOR),
            new Trial(TAKEOVER, Fault.PREDECESSOR_WRONG_CODE),
            new Trial(MOVING, Fault.CLOSES_THE_SUCCESSOR),
            new Trial(DRIPPING, Fault.PROGRESS_EARLY),
            new Trial(DRIPPING, Fault.PROGRESS_NEVER),
            new Trial(DRIPPING, Fault.PROGRESS_WRONG_CODE),
            new Trial(GREETING, Fault.HANDSHAKE_EARLY),
            new Trial(GREETING, Fault.HANDSHAKE_NEVER),
            new Trial(GREETING, Fault.HANDSHAKE_WRONG_CODE),
            new Trial(MESSAGES, Fault.LOSES_A_MESSAGE),
            new Trial(MESSAGES, Fault.DOUBLES_A_MESSAGE),
            new Trial(MESSAGES, Fault.DISORDERS_A_MESSAGE),
            new Trial(MESSAGES, Fault.ACKNOWLEDGES_TWICE),
            new Trial(MESSAGES, Fault.NEVER_ACKNOWLEDGES),
            new Trial(BEATING, Fault.KILLS_THE_LIVING),
            new Trial(BEATING, Fault.MUTE),
            new Trial(BEATING, Fault.WRONG_ECHO),
            new Trial(BEATING, Fault.REFUSES),
            new Trial(IMPATIENT, Fault.WELCOMES_LATE));

    @BeforeAll
    static void tryAll() {
        // What a cold virtual machine takes to begin would be held against whoever comes first.
        new Trial(BEATING.replace("3s", "1s"), Fault.NONE).result();
        for (Trial trial : HONEST) {
            RESULTS.put(trial, Trial.started(trial::result));
        }
        for (Trial trial : FAULTY) {
            RESULTS.put(trial, Trial.started(trial::result));
        }
    }

    private static Result passed(String scenario) {
        Result result = RESULTS.get(new Trial(scenario, Fault.NONE)).join();
        assertEquals(RunVerdict.PASS, result.verdict(), () -> told(result));
        return result;
    }

    private static Result failed(String scenario, Fault fault) {
        Result result = RESULTS.get(new Trial(scenario, fault)).join();
        assertEquals(RunVerdict.FAIL, result.verdict(), () -> told(result));
        return result;
    }

    /** On a crowded build machine a few devices may be late themselves; that is known, and not held against the gateway. */
    private static void assertAll(long wanted, Count what, Result result) {
        assertEquals(wanted, count(result, what) + count(result, OWN_FAULTS), () -> what + told(result));
    }

    // ---- an honest gateway

    @Test
    void honest_silentDevices_areDetectedAndTheOthersLive() {
        Result result = passed(SILENCE);
        assertCount(SILENT, CONDEMNED, result);
        assertCount(SILENT, DETECTED, result);
        assertCount(60 - SILENT, LIVE_AT_END, result);
        assertTrue(count(result, Count.BEATS_ANSWERED) > 4 * 60, () -> told(result));
        assertEquals(SILENT, result.timings().get(Timing.LATENESS.label()).count());
    }

    @Test
    void honest_vanishedDevices_areFoundClosedWhenTheyKnock() {
        Result result = passed(VANISHING);
        assertCount(VANISHED, DETECTED, result);
        assertCount(40 - VANISHED, LIVE_AT_END, result);
    }

    @Test
    void honest_silencedByTheTimeline_areDetected() {
        Result result = passed(SILENCING);
        long condemned = count(result, CONDEMNED);
        assertTrue(condemned >= 10 && condemned <= 20, () -> told(result));
        assertCount(condemned, DETECTED, result);
        assertCount(40 - condemned, LIVE_AT_END, result);
    }

    @Test
    void honest_messages_comeBackEachOnceAndInOrder() {
        Result result = passed(MESSAGES);
        assertTrue(count(result, Count.DATA_ACCEPTED) > 3 * SENDERS, () -> told(result));
        assertTrue(
                Math.abs(count(result, Count.DATA_ECHOED) - count(result, Count.DATA_ACCEPTED)) <= SENDERS,
                () -> told(result));
    }

    @Test
    void honest_takeovers_areRight() {
        Result result = passed(MOVING);
        assertCount(30, TAKEOVERS, result);
        assertCount(30, TAKEOVERS_RIGHT, result);
        assertCount(30, LIVE_AT_END, result);
        assertEquals(10, result.timings().get(Timing.TAKEOVER.label()).count());
    }

    @Test
    void honest_slowAndSilentPeers_areDetected() {
        assertCount(UNGREETED, DETECTED, passed(GREETING));
        assertCount(DRIPS, DETECTED, passed(DRIPPING));
        assertCount(SLOW, DETECTED, passed(STUCK));
    }

    @Test
    void honest_cutForLessThanAllowed_nobodyIsLost() {
        Result result = passed(BLINK);
        assertCount(40, LIVE_AT_END, result);
        assertCount(0, CONDEMNED, result);
    }

    @Test
    void honest_cutForLonger_areDetectedAndComeBack() {
        Result result = passed(PARTITION);
        assertCount(CUT, CONDEMNED, result);
        assertCount(CUT, DETECTED, result);
        assertCount(CUT, RECOVERED, result);
        assertCount(40, LIVE_AT_END, result);
    }

    @Test
    void honest_lateByMoreThanTheGrace_areDetectedEachTime() {
        Result result = passed(LATE);
        assertTrue(count(result, CONDEMNED) >= 20, () -> told(result));
        assertCount(count(result, CONDEMNED), DETECTED, result);
        assertCount(20, LIVE_AT_END, result);
    }

    @Test
    void honest_devicesThatComeAndGo_areNobodysFault() {
        Result result = passed(UNSTEADY);
        assertCount(0, CONDEMNED, result);
        assertTrue(count(result, Count.OPENED) > 30, () -> told(result));
    }

    @Test
    void honest_restart_losesAllAndGetsAllBack() {
        Result result = passed(RESTART);
        assertCount(40, Count.GOAWAYS, result);
        assertCount(30, LOST, result);
        assertCount(30, RECOVERED, result);
        assertCount(count(result, CONDEMNED), EXCUSED, result);
    }

    // ---- silence

    @Test
    void verdict_killsEarly_failsWithFalseKills() {
        Result result = failed(SILENCE, Fault.KILLS_EARLY);
        assertAll(SILENT, FALSE_KILLS, result);
        assertTrue(result.evidence().get(0).line().startsWith("device closed early: t-"), () -> told(result));
    }

    @Test
    void verdict_killsTheLiving_failsWithEvidence() {
        Result result = failed(BEATING, Fault.KILLS_THE_LIVING);
        assertAll(4, FALSE_KILLS, result);
        assertTrue(
                result.evidence().stream().allMatch(e -> e.kind() == GatewayFault.Kind.LIVE_CLOSED),
                () -> told(result));
    }

    @Test
    void verdict_killsInAPartitionShorterThanAllowed_failsWithFalseKills() {
        assertAll(CUT, FALSE_KILLS, failed(BLINK, Fault.KILLS_IN_THE_DARK));
    }

    @Test
    void verdict_neverKills_failsWithMissedKills() {
        Result result = failed(SILENCE, Fault.NEVER_KILLS);
        assertCount(SILENT, MISSED_KILLS, result);
        assertCount(0, FALSE_KILLS, result);
    }

    @Test
    void verdict_takesTheVanishedForAlive_failsWithMissedKills() {
        assertCount(VANISHED, MISSED_KILLS, failed(VANISHING, Fault.NEVER_KILLS));
        assertCount(CUT, MISSED_KILLS, failed(PARTITION, Fault.NEVER_KILLS));
        Result result = failed(SILENCING, Fault.NEVER_KILLS);
        assertCount(count(result, CONDEMNED), MISSED_KILLS, result);
    }

    @Test
    void verdict_toleratesTheLate_failsWithMissedKills() {
        Result result = failed(LATE, Fault.NEVER_KILLS);
        assertTrue(count(result, CONDEMNED) >= 20, () -> told(result));
        assertCount(count(result, CONDEMNED), MISSED_KILLS, result);
    }

    @Test
    void verdict_killsLate_failsOnLateness() {
        Result result = failed(SILENCE, Fault.KILLS_LATE);
        assertTrue(result.timings().get(Timing.LATENESS_AS_SEEN.label()).p50Nanos() >= 500 * MILLI, () -> told(result));
        assertCount(SILENT, DETECTED, result);
    }

    @Test
    void verdict_closesWithAnotherCodeOrNone_failsWithWrongCodes() {
        Result wrong = failed(SILENCE, Fault.WRONG_CODE);
        assertAll(SILENT, WRONG_CODES, wrong);
        assertEquals(Map.of("4002 READ_IDLE", (long) SILENT), wrong.tables().get("closes of silent"));
        Result none = failed(SILENCE, Fault.NO_CODE);
        assertAll(SILENT, WRONG_CODES, none);
        assertEquals(Map.of("fin", (long) SILENT), none.tables().get("closes of silent"));
    }

    @Test
    void verdict_leavesSocketsOpen_fails() {
        assertCount(SILENT, LEFT_OPEN, failed(SILENCE, Fault.LEAVES_OPEN));
    }

    // ---- peers that do not speak as they should

    @Test
    void verdict_handshakes_areHeldToTheirDeadlineAndCode() {
        assertCount(UNGREETED, FALSE_KILLS, failed(GREETING, Fault.HANDSHAKE_EARLY));
        assertCount(UNGREETED, MISSED_KILLS, failed(GREETING, Fault.HANDSHAKE_NEVER));
        assertCount(UNGREETED, WRONG_CODES, failed(GREETING, Fault.HANDSHAKE_WRONG_CODE));
    }

    @Test
    void verdict_unfinishedMessages_areHeldToTheirDeadlineAndCode() {
        assertCount(DRIPS, FALSE_KILLS, failed(DRIPPING, Fault.PROGRESS_EARLY));
        assertCount(DRIPS, MISSED_KILLS, failed(DRIPPING, Fault.PROGRESS_NEVER));
        assertCount(DRIPS, WRONG_CODES, failed(DRIPPING, Fault.PROGRESS_WRONG_CODE));
    }

    @Test
    void verdict_waitsForTheStuck_failsWithMissedKills() {
        assertCount(SLOW, MISSED_KILLS, failed(STUCK, Fault.STALL_NEVER));
    }

    // ---- answers and messages

    @Test
    void verdict_answersNothing_failsWithEveryDevice() {
        Result result = failed(BEATING, Fault.MUTE);
        assertCount(40, DEVICES_UNANSWERED, result);
        assertCount(0, Count.BEATS_ANSWERED, result);
    }

    @Test
    void verdict_echoesOtherBytes_failsWithViolations() {
        assertCount(40, VIOLATIONS, failed(BEATING, Fault.WRONG_ECHO));
    }

    @Test
    void verdict_refusesSome_failsNamingTheCode() {
        Result result = failed(BEATING, Fault.REFUSES);
        assertCount(4, REFUSED, result);
        assertEquals(4, result.tables().get("refusals").get("4201 CONNECTION_LIMIT"));
    }

    @Test
    void verdict_welcomesLate_failsWhereThatWasAsserted() {
        passed(IMPATIENT);
        Result result = failed(IMPATIENT, Fault.WELCOMES_LATE);
        assertTrue(result.findings().get(0).text().startsWith("asserted connect_hello.p50 <= 250ms: it was "));
    }

    @Test
    void verdict_messagesGoneWrong_failWithTheirNumber() {
        assertCount(SENDERS, DATA_LOST, failed(MESSAGES, Fault.LOSES_A_MESSAGE));
        assertCount(SENDERS, DATA_DOUBLED, failed(MESSAGES, Fault.DOUBLES_A_MESSAGE));
        assertCount(SENDERS, DATA_DISORDERED, failed(MESSAGES, Fault.DISORDERS_A_MESSAGE));
        assertCount(SENDERS, DATA_DOUBLED, failed(MESSAGES, Fault.ACKNOWLEDGES_TWICE));
        assertCount(SENDERS, DATA_UNACKNOWLEDGED, failed(MESSAGES, Fault.NEVER_ACKNOWLEDGES));
    }

    // ---- takeovers

    @Test
    void verdict_takeoversGoneWrong_areEachCountedOnce() {
        for (Fault fault : List.of(
                Fault.CLOSES_THE_SUCCESSOR,
                Fault.REFUSES_THE_SUCCESSOR,
                Fault.KEEPS_THE_PREDECESSOR,
                Fault.PREDECESSOR_WRONG_CODE)) {
            Result result = failed(TAKEOVER, fault);
            assertCount(TAKEN_OVER, TAKEOVERS, result);
            assertCount(TAKEN_OVER, TAKEOVERS_WRONG, result);
            assertCount(0, TAKEOVERS_RIGHT, result);
            assertCount(0, REFUSED, result);
            assertCount(0, FALSE_KILLS, result);
        }
        assertCount(30, TAKEOVERS_WRONG, failed(MOVING, Fault.CLOSES_THE_SUCCESSOR));
    }

    // ---- the books

    /** Whatever a gateway does, each broken promise comes to exactly one end. */
    @Test
    void counts_everyTrial_addUp() {
        RESULTS.forEach((trial, future) -> {
            Result result = future.join();
            long livingKilled = trial.fault() == Fault.KILLS_THE_LIVING || trial.fault() == Fault.KILLS_IN_THE_DARK
                    ? count(result, FALSE_KILLS)
                    : 0;
            long ends = count(result, DETECTED)
                    + count(result, WRONG_CODES)
                    + count(result, FALSE_KILLS)
                    - livingKilled
                    + count(result, MISSED_KILLS)
                    + count(result, UNJUDGED)
                    + count(result, EXCUSED)
                    + count(result, OWN_FAULTS);
            assertEquals(count(result, CONDEMNED), ends, () -> trial + told(result));
            assertEquals(
                    count(result, TAKEOVERS),
                    count(result, TAKEOVERS_RIGHT) + count(result, TAKEOVERS_WRONG),
                    () -> trial + told(result));
            assertTrue(count(result, Count.OPENED) >= count(result, Count.ENDED), () -> trial + told(result));
        });
    }
}
