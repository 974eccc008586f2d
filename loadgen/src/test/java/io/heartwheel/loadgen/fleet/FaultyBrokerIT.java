package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.fleet.Told.count;
import static io.heartwheel.loadgen.fleet.Told.told;
import static io.heartwheel.loadgen.measure.Count.BEATS_UNANSWERED;
import static io.heartwheel.loadgen.measure.Count.CONDEMNED;
import static io.heartwheel.loadgen.measure.Count.DATA_CHANGED;
import static io.heartwheel.loadgen.measure.Count.DATA_DISORDERED;
import static io.heartwheel.loadgen.measure.Count.DATA_DOUBLED;
import static io.heartwheel.loadgen.measure.Count.DATA_LOST;
import static io.heartwheel.loadgen.measure.Count.DATA_REFUSED;
import static io.heartwheel.loadgen.measure.Count.DATA_UNACKNOWLEDGED;
import static io.heartwheel.loadgen.measure.Count.DETECTED;
import static io.heartwheel.loadgen.measure.Count.FALSE_KILLS;
import static io.heartwheel.loadgen.measure.Count.LEFT_OPEN;
import static io.heartwheel.loadgen.measure.Count.LIVE_AT_END;
import static io.heartwheel.loadgen.measure.Count.MISSED_KILLS;
import static io.heartwheel.loadgen.measure.Count.OWN_FAULTS;
import static io.heartwheel.loadgen.measure.Count.REFUSED;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS_RIGHT;
import static io.heartwheel.loadgen.measure.Count.TAKEOVERS_WRONG;
import static io.heartwheel.loadgen.measure.Count.VIOLATIONS;
import static io.heartwheel.loadgen.measure.Count.WRONG_CODES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.Certificates;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * As {@link FaultyGatewayIT}, of MQTT brokers: an honest one passes every scenario in both versions, and each planted fault
 * costs the PASS with exactly as many counts as it was planted.
 */
@Tag("timed")
@Timeout(120)
final class FaultyBrokerIT {

    private static final String V3 = "mqtt";
    private static final String V5 = "mqtt5";

    private static final String BEATING = "clients = 40, duration = 3s\n";
    private static final String SILENCE =
            "clients = 40, duration = 5s, behaviours = [{ kind = steady, weight = 3 }, { kind = silent, weight = 1 }]\n";
    private static final int SILENT = 10;
    private static final String VANISHING =
            "clients = 20, duration = 5s, behaviours = [{ kind = steady }, { kind = vanishing }]\n";
    private static final int VANISHED = 10;
    private static final String MESSAGES =
            "clients = 20, duration = 3s, echo = true, behaviours = [{ kind = chatty, rate = 6 }]\n";
    private static final int SENDERS = 20;
    private static final String QOS_0 = "# target: mqtt.qos = 0\n" + MESSAGES;
    private static final String TAKEOVER =
            """
            clients = 20, duration = 4s
            behaviours = [{ kind = steady }, { kind = duplicate-id, after = 200ms, until = 900ms }]
            """;
    private static final int TAKEN_OVER = 10;
    private static final String MOVING =
            """
            clients = 20, duration = 4s, behaviours = [
              { kind = nat-rebind, after = 200ms, until = 900ms }, { kind = roaming, after = 200ms, until = 900ms }
            ]
            """;
    private static final String GREETING =
            "clients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = never-hello }]\n";
    private static final int UNGREETED = 10;
    private static final String DRIPPING =
            "clients = 20, duration = 5s, behaviours = [{ kind = steady }, { kind = byte-drip, gap = 100ms }]\n";
    private static final int DRIPS = 10;
    private static final String STUCK =
            "clients = 3, duration = 8s, echo = true, behaviours = [{ kind = steady, weight = 2 }, { kind = slow-reader }]\n";
    private static final String LATE =
            "clients = 20, duration = 6s, reconnect.policy = naive, behaviours = [{ kind = late, by = 1.2, every = 2 }]\n";
    private static final String UNSTEADY =
            """
            clients = 30, duration = 4s, behaviours = [
              { kind = flapping, up = 600ms, down = 300ms }, { kind = late, by = 0.4, every = 2 }
              { kind = leaving, after = 500ms, until = 2s }, { kind = reset, after = 500ms, until = 2s }
            ]
            """;
    private static final String PARTITION =
            """
            clients = 20, duration = 7s, reconnect { policy = fixed, base = 200ms }
            timeline = [{ at = 500ms, do = cut, share = 0.5, for = 3s }]
            """;

    private static final Map<BrokerTrial, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    private static final int ALL = 40;
    private static final int ONE_IN_TEN = 4;
    private static final String IMPATIENT = BEATING + "assert = [\"connect_hello.p50 <= 250ms\"]\n";

    @TempDir
    static Path directory;

    private static BrokerTrial secured;

    /** Asks for 5 s and is told to keep 1 s. */
    private static final BrokerTrial OVERRULED =
            new BrokerTrial(SILENCE.replace("5s", "8s") + "heartbeat.interval = 2s\n", V5, BrokerFault.NONE, 1, null);

    /** What differs between the versions is run in both. */
    private static final List<String> HONEST = List.of(SILENCE, DRIPPING, TAKEOVER, MESSAGES);

    private static final List<String> HONEST_ALIKE = List.of(VANISHING, MOVING, GREETING, UNSTEADY, QOS_0, IMPATIENT);

    /** What is planted, and what it is planted into; the longest first. */
    private static final List<BrokerTrial> FAULTY = List.of(
            new BrokerTrial(SILENCE, V3, BrokerFault.CLOSES_AT_KEEP_ALIVE),
            new BrokerTrial(SILENCE, V5, BrokerFault.CLOSES_AT_KEEP_ALIVE),
            new BrokerTrial(SILENCE, V3, BrokerFault.CLOSES_AT_1_2),
            new BrokerTrial(SILENCE, V5, BrokerFault.CLOSES_AT_3),
            new BrokerTrial(SILENCE, V3, BrokerFault.NEVER_CLOSES),
            new BrokerTrial(SILENCE, V5, BrokerFault.WRONG_REASON),
            new BrokerTrial(SILENCE, V5, BrokerFault.RESETS),
            new BrokerTrial(SILENCE, V5, BrokerFault.LEAVES_OPEN),
            new BrokerTrial(VANISHING, V3, BrokerFault.NEVER_CLOSES),
            new BrokerTrial(DRIPPING, V5, BrokerFault.COUNTS_BYTES),
            new BrokerTrial(GREETING, V3, BrokerFault.HANDSHAKE_EARLY),
            new BrokerTrial(GREETING, V5, BrokerFault.HANDSHAKE_NEVER),
            new BrokerTrial(TAKEOVER, V3, BrokerFault.KEEPS_BOTH),
            new BrokerTrial(TAKEOVER, V5, BrokerFault.KEEPS_BOTH),
            new BrokerTrial(TAKEOVER, V3, BrokerFault.CLOSES_THE_NEWER),
            new BrokerTrial(TAKEOVER, V5, BrokerFault.CLOSES_THE_NEWER),
            new BrokerTrial(TAKEOVER, V5, BrokerFault.TAKEOVER_WRONG_CODE),
            new BrokerTrial(BEATING, V5, BrokerFault.CLOSES_THE_LIVING),
            new BrokerTrial(BEATING, V5, BrokerFault.SHUTS_DOWN_SOME),
            new BrokerTrial(BEATING, V3, BrokerFault.REFUSES),
            new BrokerTrial(BEATING, V5, BrokerFault.REFUSES),
            new BrokerTrial(IMPATIENT, V5, BrokerFault.CONNACK_LATE),
            new BrokerTrial(BEATING, V5, BrokerFault.CONNACK_TWICE),
            new BrokerTrial(BEATING, V3, BrokerFault.SESSION_PRESENT),
            new BrokerTrial(BEATING, V3, BrokerFault.MALFORMED),
            new BrokerTrial(BEATING, V3, BrokerFault.PINGRESP_LOST),
            new BrokerTrial(BEATING, V5, BrokerFault.PINGRESP_TWICE),
            new BrokerTrial(MESSAGES, V3, BrokerFault.PINGRESP_UNASKED),
            new BrokerTrial(MESSAGES, V5, BrokerFault.SUBACK_FAILURE),
            new BrokerTrial(MESSAGES, V3, BrokerFault.SUBACK_WRONG_ID),
            new BrokerTrial(MESSAGES, V3, BrokerFault.PUBACK_LOST),
            new BrokerTrial(MESSAGES, V5, BrokerFault.PUBACK_TWICE),
            new BrokerTrial(MESSAGES, V3, BrokerFault.PUBACK_WRONG_ID),
            new BrokerTrial(MESSAGES, V5, BrokerFault.PUBACK_UNASKED),
            new BrokerTrial(MESSAGES, V5, BrokerFault.PUBACK_REFUSED),
            new BrokerTrial(MESSAGES, V5, BrokerFault.DELIVERY_LOST),
            new BrokerTrial(QOS_0, V3, BrokerFault.DELIVERY_LOST),
            new BrokerTrial(MESSAGES, V5, BrokerFault.DELIVERY_CHANGED),
            new BrokerTrial(MESSAGES, V3, BrokerFault.DELIVERY_TWICE),
            new BrokerTrial(MESSAGES, V5, BrokerFault.DELIVERY_DUPLICATE),
            new BrokerTrial(MESSAGES, V3, BrokerFault.DELIVERY_DISORDERED),
            new BrokerTrial(MESSAGES, V3, BrokerFault.DELIVERY_MISDIRECTED));

    @BeforeAll
    static void tryAll() throws Exception {
        // What a cold virtual machine takes to begin would be held against whoever comes first.
        new BrokerTrial(BEATING.replace("3s", "1s"), V5, BrokerFault.NONE).result();
        secured =
                new BrokerTrial(MESSAGES, V5 + "+tls", BrokerFault.NONE, 0, new Certificates(directory).server(false));
        for (String scenario : List.of(STUCK, PARTITION, LATE)) {
            begin(new BrokerTrial(scenario, V5, BrokerFault.NONE));
        }
        for (String scenario : HONEST) {
            begin(new BrokerTrial(scenario, V3, BrokerFault.NONE));
            begin(new BrokerTrial(scenario, V5, BrokerFault.NONE));
        }
        HONEST_ALIKE.forEach(scenario -> begin(new BrokerTrial(scenario, V3, BrokerFault.NONE)));
        begin(secured);
        begin(OVERRULED);
        FAULTY.forEach(FaultyBrokerIT::begin);
    }

    private static void begin(BrokerTrial trial) {
        RESULTS.put(trial, Trial.started(trial::result));
    }

    private static Result passed(BrokerTrial trial) {
        Result result = RESULTS.get(trial).join();
        assertEquals(RunVerdict.PASS, result.verdict(), () -> trial + told(result));
        return result;
    }

    private static Result passed(String scenario, String protocol) {
        return passed(new BrokerTrial(scenario, protocol, BrokerFault.NONE));
    }

    private static Result failed(String scenario, String protocol, BrokerFault fault) {
        Result result = RESULTS.get(new BrokerTrial(scenario, protocol, fault)).join();
        assertEquals(RunVerdict.FAIL, result.verdict(), () -> fault + told(result));
        return result;
    }

    private static void fails(String scenario, String protocol, BrokerFault fault, long wanted, Count what) {
        Result result = failed(scenario, protocol, fault);
        assertEquals(wanted, count(result, what) + count(result, OWN_FAULTS), () -> fault + " " + what + told(result));
    }

    // ---- an honest broker

    @Test
    void honest_silentDevices_areDetectedInBothVersions() {
        for (String protocol : List.of(V3, V5)) {
            Result result = passed(SILENCE, protocol);
            assertCount(SILENT, DETECTED, result);
            assertCount(ALL - SILENT, LIVE_AT_END, result);
            assertTrue(count(result, Count.BEATS_ANSWERED) > 3 * ALL, () -> told(result));
        }
        assertCount(VANISHED, DETECTED, passed(VANISHING, V3));
        assertEquals(
                Map.of("141 keep alive timeout (0x8D)", (long) SILENT),
                passed(SILENCE, V5).tables().get("closes of silent"));
    }

    @Test
    void honest_serverKeepAlive_beatsWhatTheDeviceAskedFor() {
        Result result = passed(OVERRULED);
        assertEquals(1_000, result.grantedMostMillis());
        assertCount(SILENT, DETECTED, result);
    }

    @Test
    void honest_messages_areAcknowledgedAndComeBack() {
        for (String protocol : List.of(V3, V5)) {
            Result result = passed(MESSAGES, protocol);
            assertTrue(count(result, Count.DATA_ACCEPTED) > 3 * SENDERS, () -> told(result));
            assertTrue(count(result, Count.DATA_ECHOED) > 3 * SENDERS, () -> told(result));
        }
        Result unasked = passed(QOS_0, V3);
        assertTrue(count(unasked, Count.DATA_ECHOED) > 3 * SENDERS, () -> told(unasked));
        assertTrue(count(passed(secured), Count.DATA_ACCEPTED) > 3 * SENDERS);
    }

    @Test
    void honest_takeovers_areRight() {
        for (String protocol : List.of(V3, V5)) {
            assertCount(TAKEN_OVER, TAKEOVERS_RIGHT, passed(TAKEOVER, protocol));
        }
        Result moved = passed(MOVING, V3);
        assertCount(20, TAKEOVERS, moved);
        assertCount(20, TAKEOVERS_RIGHT, moved);
    }

    @Test
    void honest_slowAndUnsteadyPeers_areDetectedOrNobodysFault() {
        for (String protocol : List.of(V3, V5)) {
            assertCount(DRIPS, DETECTED, passed(DRIPPING, protocol));
        }
        assertCount(UNGREETED, DETECTED, passed(GREETING, V3));
        assertCount(0, CONDEMNED, passed(UNSTEADY, V3));
        passed(IMPATIENT, V3);
        assertCount(1, DETECTED, passed(STUCK, V5));
        assertCount(10, DETECTED, passed(PARTITION, V5));
        Result late = passed(LATE, V5);
        assertTrue(count(late, CONDEMNED) >= 20, () -> told(late));
        assertCount(count(late, CONDEMNED), DETECTED, late);
    }

    // ---- silence

    @Test
    void verdict_closesTooEarly_failsWithFalseKills() {
        fails(SILENCE, V3, BrokerFault.CLOSES_AT_KEEP_ALIVE, SILENT, FALSE_KILLS);
        fails(SILENCE, V5, BrokerFault.CLOSES_AT_KEEP_ALIVE, SILENT, FALSE_KILLS);
        fails(SILENCE, V3, BrokerFault.CLOSES_AT_1_2, SILENT, FALSE_KILLS);
        fails(BEATING, V5, BrokerFault.CLOSES_THE_LIVING, ONE_IN_TEN, FALSE_KILLS);
        fails(BEATING, V5, BrokerFault.SHUTS_DOWN_SOME, ONE_IN_TEN, FALSE_KILLS);
    }

    @Test
    void verdict_closesTooLateOrNever_failsWithMissedKills() {
        fails(SILENCE, V5, BrokerFault.CLOSES_AT_3, SILENT, MISSED_KILLS);
        fails(SILENCE, V3, BrokerFault.NEVER_CLOSES, SILENT, MISSED_KILLS);
        fails(VANISHING, V3, BrokerFault.NEVER_CLOSES, VANISHED, MISSED_KILLS);
        fails(DRIPPING, V5, BrokerFault.COUNTS_BYTES, DRIPS, MISSED_KILLS);
    }

    @Test
    void verdict_closesInAnotherWay_failsWithWrongCodes() {
        fails(SILENCE, V5, BrokerFault.WRONG_REASON, SILENT, WRONG_CODES);
        fails(SILENCE, V5, BrokerFault.RESETS, SILENT, WRONG_CODES);
        fails(SILENCE, V5, BrokerFault.LEAVES_OPEN, SILENT, LEFT_OPEN);
    }

    // ---- the way up

    @Test
    void verdict_handshakes_areHeldToTheirDeadline() {
        fails(GREETING, V3, BrokerFault.HANDSHAKE_EARLY, UNGREETED, FALSE_KILLS);
        fails(GREETING, V5, BrokerFault.HANDSHAKE_NEVER, UNGREETED, MISSED_KILLS);
    }

    @Test
    void verdict_refuses_failsNamingTheCode() {
        fails(BEATING, V3, BrokerFault.REFUSES, ONE_IN_TEN, REFUSED);
        fails(BEATING, V5, BrokerFault.REFUSES, ONE_IN_TEN, REFUSED);
        assertEquals(
                (long) ONE_IN_TEN,
                failed(BEATING, V5, BrokerFault.REFUSES)
                        .tables()
                        .get("refusals")
                        .get("136 server unavailable (0x88)"));
        fails(MESSAGES, V5, BrokerFault.SUBACK_FAILURE, SENDERS, REFUSED);
        failed(IMPATIENT, V5, BrokerFault.CONNACK_LATE);
    }

    @Test
    void verdict_breaksTheProtocol_failsWithViolations() {
        fails(BEATING, V5, BrokerFault.CONNACK_TWICE, ALL, VIOLATIONS);
        fails(BEATING, V3, BrokerFault.SESSION_PRESENT, ALL, VIOLATIONS);
        fails(BEATING, V3, BrokerFault.MALFORMED, ONE_IN_TEN, VIOLATIONS);
        fails(MESSAGES, V3, BrokerFault.SUBACK_WRONG_ID, SENDERS, VIOLATIONS);
    }

    // ---- answers and messages

    @Test
    void verdict_heartbeats_areEachAnsweredOnce() {
        fails(BEATING, V3, BrokerFault.PINGRESP_LOST, ALL, BEATS_UNANSWERED);
        fails(BEATING, V5, BrokerFault.PINGRESP_TWICE, ALL, VIOLATIONS);
        fails(MESSAGES, V3, BrokerFault.PINGRESP_UNASKED, SENDERS, VIOLATIONS);
    }

    @Test
    void verdict_acknowledgements_areEachMadeOnce() {
        fails(MESSAGES, V3, BrokerFault.PUBACK_LOST, SENDERS, DATA_UNACKNOWLEDGED);
        fails(MESSAGES, V5, BrokerFault.PUBACK_TWICE, SENDERS, DATA_DOUBLED);
        fails(MESSAGES, V3, BrokerFault.PUBACK_WRONG_ID, SENDERS, VIOLATIONS);
        fails(MESSAGES, V3, BrokerFault.PUBACK_WRONG_ID, SENDERS, DATA_UNACKNOWLEDGED);
        fails(MESSAGES, V5, BrokerFault.PUBACK_UNASKED, SENDERS, VIOLATIONS);
        fails(MESSAGES, V5, BrokerFault.PUBACK_REFUSED, SENDERS, DATA_REFUSED);
    }

    @Test
    void verdict_deliveries_areEachMadeOnceAndUnchanged() {
        fails(MESSAGES, V5, BrokerFault.DELIVERY_LOST, SENDERS, DATA_LOST);
        fails(QOS_0, V3, BrokerFault.DELIVERY_LOST, SENDERS, DATA_LOST);
        fails(MESSAGES, V5, BrokerFault.DELIVERY_CHANGED, SENDERS, DATA_CHANGED);
        fails(MESSAGES, V3, BrokerFault.DELIVERY_TWICE, SENDERS, DATA_DOUBLED);
        fails(MESSAGES, V5, BrokerFault.DELIVERY_DUPLICATE, SENDERS, DATA_DOUBLED);
        fails(MESSAGES, V3, BrokerFault.DELIVERY_DISORDERED, SENDERS, DATA_DISORDERED);
        fails(MESSAGES, V3, BrokerFault.DELIVERY_MISDIRECTED, SENDERS, VIOLATIONS);
    }

    // ---- takeovers

    @Test
    void verdict_takeoversGoneWrong_areEachCountedOnce() {
        for (BrokerTrial trial : FAULTY) {
            if (trial.scenario().equals(TAKEOVER)) {
                Result result = failed(TAKEOVER, trial.protocol(), trial.fault());
                assertEquals(TAKEN_OVER, count(result, TAKEOVERS), () -> trial + told(result));
                assertEquals(TAKEN_OVER, count(result, TAKEOVERS_WRONG), () -> trial + told(result));
                assertEquals(0, count(result, FALSE_KILLS), () -> trial + told(result));
            }
        }
    }

    /** Whatever a broker does, each broken promise comes to exactly one end. */
    @Test
    void counts_everyTrial_addUp() {
        RESULTS.forEach((trial, future) -> {
            Result result = future.join();
            boolean livingClosed =
                    trial.fault() == BrokerFault.CLOSES_THE_LIVING || trial.fault() == BrokerFault.SHUTS_DOWN_SOME;
            long ends = count(result, DETECTED)
                    + count(result, WRONG_CODES)
                    + (livingClosed ? 0 : count(result, FALSE_KILLS))
                    + count(result, MISSED_KILLS)
                    + count(result, Count.UNJUDGED)
                    + count(result, Count.EXCUSED)
                    + count(result, OWN_FAULTS);
            assertEquals(count(result, CONDEMNED), ends, () -> trial + told(result));
        });
    }
}
