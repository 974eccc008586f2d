package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.measure.Count.PUSHES_ABSENT;
import static io.heartwheel.loadgen.measure.Count.PUSHES_ACCEPTED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_CALLED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_CHANGED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_DELIVERED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_DISORDERED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_DOUBLED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_EXCUSED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_FAILED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_LATE;
import static io.heartwheel.loadgen.measure.Count.PUSHES_LOST;
import static io.heartwheel.loadgen.measure.Count.PUSHES_MISDELIVERED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_REFUSED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_TO_NOBODY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.PushApi.Fault;
import io.heartwheel.loadgen.fleet.PushTrial.Outcome;
import io.heartwheel.loadgen.fleet.PushTrial.Wire;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * As {@link FaultyGatewayIT}, of what is pushed to devices: an honest server passes, and each fault costs it the PASS with
 * exactly as many counts as it was planted, and no other.
 */
@Tag("timed")
@Timeout(120)
final class PushFaultsIT {

    private static final int DEVICES = 12;
    private static final int PUSHES = 48;
    private static final List<Wire> WIRES = List.of(Wire.HEARTWHEEL, Wire.PLAIN, Wire.MQTT);

    /** Every third device has left before the first push. */
    private static final String SOME_LEFT =
            """
            duration = 6s, downlink.after = 3200ms
            behaviours = [{ kind = steady, weight = 2 }, { kind = leaving, after = 100ms, until = 500ms }]
            """;

    private static final int GONE = 4;
    private static final String COMING_AND_GOING =
            """
            duration = 7s, downlink { rate = 60, count = 200, order = random }
            behaviours = [{ kind = flapping, up = 900ms, down = 500ms }]
            """;
    private static final String AT_RANDOM = "downlink.order = random\n";
    private static final String TO_ALL =
            "downlink { to = all, rate = 12, count = 6, http.url = \"http://{address}/push\" }\n";
    /** A call goes to all, though half of them are meant. */
    private static final String TO_HALF = TO_ALL + "downlink.among.last = 5\n";

    private static final String WITH_SILENT =
            """
            duration = 6s, heartbeat.interval = 1s, downlink { rate = 60, count = 170 }
            behaviours = [{ kind = steady, weight = 3 }, { kind = silent, weight = 1, after = 1s }]
            """;

    /** All to one device: a broker's faults happen to the third message of a publisher. */
    private static final String PUBLISHED = "downlink { by = mqtt, count = 20, among.last = 0, timeout = 2s }\n";

    private static final Map<BrokerFault, Map<Count, Long>> BROKER_FAULTS = Map.of(
            BrokerFault.NONE, Map.of(),
            BrokerFault.DELIVERY_LOST, Map.of(PUSHES_LOST, 1L),
            BrokerFault.DELIVERY_TWICE, Map.of(PUSHES_DOUBLED, 1L),
            BrokerFault.DELIVERY_DUPLICATE, Map.of(PUSHES_DOUBLED, 1L),
            BrokerFault.DELIVERY_DISORDERED, Map.of(PUSHES_DISORDERED, 1L),
            BrokerFault.DELIVERY_CHANGED, Map.of(PUSHES_CHANGED, 1L),
            BrokerFault.DELIVERY_MISDIRECTED, Map.of(PUSHES_MISDELIVERED, 1L),
            BrokerFault.PUBACK_LOST, Map.of(PUSHES_FAILED, 1L));

    private static final Set<Count> FAULTS = EnumSet.of(
            PUSHES_LOST,
            PUSHES_LATE,
            PUSHES_DOUBLED,
            PUSHES_DISORDERED,
            PUSHES_CHANGED,
            PUSHES_MISDELIVERED,
            PUSHES_REFUSED,
            PUSHES_FAILED,
            PUSHES_TO_NOBODY);

    private static final Map<PushTrial, CompletableFuture<Outcome>> OUTCOMES = new LinkedHashMap<>();

    private static void plan(Wire wire, String scenario, Fault fault) {
        plan(new PushTrial(wire, scenario, fault));
    }

    private static void plan(PushTrial trial) {
        OUTCOMES.put(trial, Trial.started(trial::outcome));
    }

    @BeforeAll
    static void tryAll() {
        // What a cold virtual machine takes to begin would be held against whoever comes first.
        new PushTrial(Wire.HEARTWHEEL, "downlink.count = 5\n", Fault.NONE).outcome();
        plan(Wire.HEARTWHEEL, WITH_SILENT, Fault.NONE);
        plan(Wire.HEARTWHEEL, COMING_AND_GOING, Fault.NONE);
        plan(Wire.PLAIN, COMING_AND_GOING, Fault.NONE);
        plan(Wire.HEARTWHEEL, SOME_LEFT, Fault.NONE);
        plan(Wire.HEARTWHEEL, SOME_LEFT, Fault.ACCEPTS_ABSENT);
        plan(Wire.PLAIN, SOME_LEFT, Fault.ACCEPTS_ABSENT);
        for (Wire wire : WIRES) {
            for (Fault fault : Fault.values()) {
                if (fault != Fault.ACCEPTS_ABSENT) {
                    plan(wire, scenario(fault), fault);
                }
            }
        }
        plan(Wire.WRAPPED, "", Fault.NONE);
        plan(Wire.WRAPPED, "", Fault.CHANGES_A_BYTE);
        plan(Wire.HEARTWHEEL, AT_RANDOM, Fault.NONE);
        plan(Wire.HEARTWHEEL, TO_ALL, Fault.NONE);
        plan(Wire.PLAIN, TO_ALL, Fault.NONE);
        plan(Wire.HEARTWHEEL, TO_ALL, Fault.LOSES);
        plan(Wire.PLAIN, TO_ALL, Fault.DOUBLES);
        plan(Wire.HEARTWHEEL, TO_HALF, Fault.NONE);
        BROKER_FAULTS.keySet().forEach(fault -> plan(published(fault)));
    }

    /** Who waits for an answer that never comes waits less long. */
    private static String scenario(Fault fault) {
        return fault == Fault.NEVER_ANSWERS ? "downlink.timeout = 2s\n" : "";
    }

    private static PushTrial published(BrokerFault fault) {
        return new PushTrial(Wire.MQTT, PUBLISHED, Fault.NONE, fault);
    }

    private static Outcome outcome(Wire wire, String scenario, Fault fault, RunVerdict verdict) {
        Outcome outcome = OUTCOMES.get(new PushTrial(wire, scenario, fault)).join();
        assertEquals(verdict, outcome.result().verdict(), outcome::toString);
        return outcome;
    }

    /** All faults that were counted, and no others. */
    private static void assertFaults(Outcome outcome, Map<Count, Long> wanted) {
        for (Count fault : FAULTS) {
            assertEquals(wanted.getOrDefault(fault, 0L), outcome.of(fault), () -> fault + outcome.toString());
        }
    }

    /** The server was wrong once for each device, which shows as this. */
    private static Outcome failed(Wire wire, Fault fault, Map<Count, Long> wanted) {
        Outcome outcome = outcome(wire, scenario(fault), fault, RunVerdict.FAIL);
        assertEquals(DEVICES, outcome.planted(), outcome::toString);
        assertFaults(outcome, wanted);
        assertEquals(PUSHES, outcome.of(PUSHES_CALLED), outcome::toString);
        return outcome;
    }

    private static void failedOnEach(Fault fault, Map<Count, Long> wanted) {
        WIRES.forEach(wire -> failed(wire, fault, wanted));
    }

    // ---- an honest server

    @Test
    void honest_eachWire_deliversEachOnce() {
        for (Wire wire : Wire.values()) {
            Outcome outcome = outcome(wire, "", Fault.NONE, RunVerdict.PASS);
            assertFaults(outcome, Map.of());
            assertEquals(PUSHES, outcome.of(PUSHES_CALLED), outcome::toString);
            assertEquals(PUSHES, outcome.of(PUSHES_ACCEPTED), outcome::toString);
            assertEquals(PUSHES, outcome.of(PUSHES_DELIVERED), outcome::toString);
            for (Timing timing : List.of(Timing.PUSH, Timing.PUSH_CALL, Timing.PUSH_WAIT)) {
                assertEquals(
                        PUSHES, outcome.result().timings().get(timing.label()).count(), outcome::toString);
            }
        }
    }

    @Test
    void honest_atRandom_deliversEachOnce() {
        Outcome outcome = outcome(Wire.HEARTWHEEL, AT_RANDOM, Fault.NONE, RunVerdict.PASS);
        assertEquals(PUSHES, outcome.of(PUSHES_DELIVERED), outcome::toString);
    }

    @Test
    void honest_toAll_deliversToEach() {
        for (Wire wire : List.of(Wire.HEARTWHEEL, Wire.PLAIN)) {
            Outcome outcome = outcome(wire, TO_ALL, Fault.NONE, RunVerdict.PASS);
            assertFaults(outcome, Map.of());
            assertEquals(6, outcome.of(PUSHES_CALLED), outcome::toString);
            assertEquals(6 * DEVICES, outcome.of(PUSHES_DELIVERED), outcome::toString);
        }
    }

    @Test
    void honest_devicesComeAndGo_whatTheyMissedIsNobodysFault() {
        for (Wire wire : List.of(Wire.HEARTWHEEL, Wire.PLAIN)) {
            Outcome outcome = outcome(wire, COMING_AND_GOING, Fault.NONE, RunVerdict.PASS);
            assertFaults(outcome, Map.of());
            assertEquals(200, outcome.of(PUSHES_ACCEPTED) + outcome.of(PUSHES_ABSENT), outcome::toString);
            assertEquals(
                    outcome.of(PUSHES_ACCEPTED),
                    outcome.of(PUSHES_DELIVERED) + outcome.of(PUSHES_EXCUSED),
                    outcome::toString);
            assertTrue(outcome.of(PUSHES_ABSENT) > 10, outcome::toString);
        }
    }

    @Test
    void honest_someLeftBefore_areToldApart() {
        Outcome outcome = outcome(Wire.HEARTWHEEL, SOME_LEFT, Fault.NONE, RunVerdict.PASS);
        assertFaults(outcome, Map.of());
        assertEquals(GONE * PUSHES / DEVICES, outcome.of(PUSHES_ABSENT), outcome::toString);
        assertEquals(PUSHES - outcome.of(PUSHES_ABSENT), outcome.of(PUSHES_DELIVERED), outcome::toString);
    }

    @Test
    void honest_someFallSilent_hearUntilTheyAreClosed() {
        Outcome outcome = outcome(Wire.HEARTWHEEL, WITH_SILENT, Fault.NONE, RunVerdict.PASS);
        assertFaults(outcome, Map.of());
        assertEquals(3, outcome.of(Count.DETECTED), outcome::toString);
        assertTrue(outcome.of(PUSHES_ABSENT) > 0, outcome::toString);
    }

    // ---- faults

    @Test
    void verdict_loses_failsWithEach() {
        failedOnEach(Fault.LOSES, Map.of(PUSHES_LOST, 12L));
        String line = outcome(Wire.PLAIN, "", Fault.LOSES, RunVerdict.FAIL)
                .result()
                .evidence()
                .get(0)
                .line();
        assertTrue(line.matches("push gone wrong: t-.*push 3 was accepted \\(202\\) and never came.*"), line);
    }

    @Test
    void verdict_doubles_failsWithEach() {
        failedOnEach(Fault.DOUBLES, Map.of(PUSHES_DOUBLED, 12L));
    }

    @Test
    void verdict_reorders_failsWithEach() {
        failedOnEach(Fault.REORDERS, Map.of(PUSHES_DISORDERED, 12L));
    }

    @Test
    void verdict_changesAByte_failsWithEachAndNoneIsLost() {
        failedOnEach(Fault.CHANGES_A_BYTE, Map.of(PUSHES_CHANGED, 12L));
        assertFaults(outcome(Wire.WRAPPED, "", Fault.CHANGES_A_BYTE, RunVerdict.FAIL), Map.of(PUSHES_CHANGED, 12L));
    }

    @Test
    void verdict_cutsShort_failsWithEach() {
        failedOnEach(Fault.CUTS_IT_SHORT, Map.of(PUSHES_CHANGED, 12L));
    }

    @Test
    void verdict_toTheNeighbour_failsOnBothSides() {
        failedOnEach(Fault.TO_THE_NEIGHBOUR, Map.of(PUSHES_MISDELIVERED, 12L, PUSHES_LOST, 12L));
    }

    @Test
    void verdict_toAll_failsWithEachWhoShouldNotHaveIt() {
        failedOnEach(Fault.TO_ALL, Map.of(PUSHES_MISDELIVERED, 12L * 11));
    }

    @Test
    void verdict_late_failsWithEachAndNoneIsLost() {
        failedOnEach(Fault.LATE, Map.of(PUSHES_LATE, 12L, PUSHES_DISORDERED, 12L));
    }

    @Test
    void verdict_refuses_failsByStatus() {
        failedOnEach(Fault.REFUSES, Map.of(PUSHES_REFUSED, 12L));
        Outcome outcome = outcome(Wire.PLAIN, "", Fault.REFUSES, RunVerdict.FAIL);
        assertEquals(Map.of("503", 12L), outcome.result().tables().get(Result.PUSH_ANSWERS));
    }

    @Test
    void verdict_saysAbsentOfAConnectedDevice_fails() {
        failedOnEach(Fault.SAYS_ABSENT, Map.of(PUSHES_REFUSED, 12L));
        Outcome outcome = outcome(Wire.PLAIN, "", Fault.SAYS_ABSENT, RunVerdict.FAIL);
        assertEquals(
                Map.of("404 for a connected device", 12L),
                outcome.result().tables().get(Result.PUSH_ANSWERS));
    }

    @Test
    void verdict_acceptsForAnAbsentDevice_failsWithEach() {
        for (Wire wire : List.of(Wire.HEARTWHEEL, Wire.PLAIN)) {
            Outcome outcome = outcome(wire, SOME_LEFT, Fault.ACCEPTS_ABSENT, RunVerdict.FAIL);
            assertEquals(GONE * PUSHES / DEVICES, outcome.planted(), outcome::toString);
            assertFaults(outcome, Map.of(PUSHES_TO_NOBODY, (long) outcome.planted()));
        }
    }

    @Test
    void verdict_neverAnswers_failsWithEachCall() {
        failedOnEach(Fault.NEVER_ANSWERS, Map.of(PUSHES_FAILED, 12L));
    }

    @Test
    void verdict_toAllButOne_failsWithThatOne() {
        Outcome outcome = outcome(Wire.HEARTWHEEL, TO_ALL, Fault.LOSES, RunVerdict.FAIL);
        assertFaults(outcome, Map.of(PUSHES_LOST, 1L));
        assertFaults(outcome(Wire.PLAIN, TO_ALL, Fault.DOUBLES, RunVerdict.FAIL), Map.of(PUSHES_DOUBLED, 12L));
    }

    @Test
    void verdict_toAllThoughHalfWereMeant_failsWithTheOthers() {
        assertFaults(
                outcome(Wire.HEARTWHEEL, TO_HALF, Fault.NONE, RunVerdict.FAIL), Map.of(PUSHES_MISDELIVERED, 6L * 6));
    }

    // ---- a publisher of our own

    @Test
    void published_eachFaultOfABroker_failsWithExactlyThat() {
        BROKER_FAULTS.forEach((fault, wanted) -> {
            Outcome outcome = OUTCOMES.get(published(fault)).join();
            assertEquals(
                    wanted.isEmpty() ? RunVerdict.PASS : RunVerdict.FAIL,
                    outcome.result().verdict(),
                    () -> fault + outcome.toString());
            assertFaults(outcome, wanted);
            assertEquals(20, outcome.of(PUSHES_CALLED), () -> fault + outcome.toString());
        });
    }
}
