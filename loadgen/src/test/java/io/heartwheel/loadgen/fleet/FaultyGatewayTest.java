package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Habits;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.scenario.Protocol;
import io.heartwheel.loadgen.scenario.Target;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A judge that never condemns proves nothing: each fault a gateway can have over real sockets must cost it the PASS. */
@Timeout(60)
final class FaultyGatewayTest {

    private static final long MILLI = 1_000_000L;
    private static final int CLIENTS = 60;
    private static final int SILENT = 12;
    private static final Map<Fault, CompletableFuture<Outcome>> OUTCOMES = new EnumMap<>(Fault.class);
    /** A build machine may be saturated, which would excuse what is soft. */
    private static final Meters CALM = new Meters() {
        @Override
        public long cpuNanos() {
            return 0;
        }

        @Override
        public long collectorNanos() {
            return 0;
        }

        @Override
        public long machineBusyNanos() {
            return 0;
        }

        @Override
        public int processors() {
            return 2;
        }
    };

    private static final ExecutorService THREADS = Executors.newFixedThreadPool(4);

    @Test
    void verdict_gatewayKeepsTheContract_passes() {
        Outcome outcome = judge(Fault.NONE);
        assertEquals(Verdict.PASS, outcome.verdict(), outcome.toString());
        assertEquals(CLIENTS, outcome.opened());
        assertEquals(SILENT, outcome.silent());
        assertEquals(SILENT, outcome.detected());
        assertEquals(CLIENTS - SILENT, outcome.liveAtEnd());
        assertEquals(0, outcome.unansweredBeats());
        assertTrue(outcome.beatsAnswered() > 4 * CLIENTS, outcome.toString());
    }

    @Test
    void verdict_gatewayKillsEarly_failsWithFalseKills() {
        Outcome outcome = judge(Fault.KILLS_EARLY);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertMost(outcome.falseKills());
        assertTrue(outcome.evidence().get(0).line().startsWith("silent device closed early: t-"), outcome.toString());
    }

    @Test
    void verdict_gatewayKillsTheLiving_failsWithEvidence() {
        Outcome outcome = judge(Fault.KILLS_THE_LIVING);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertTrue(outcome.falseKills() >= 1, outcome.toString());
        assertTrue(outcome.evidence().stream().anyMatch(e -> e.kind() == Evidence.Kind.LIVE_CLOSED));
    }

    @Test
    void verdict_gatewayNeverKills_failsWithMissedKills() {
        Outcome outcome = judge(Fault.NEVER_KILLS);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertMost(outcome.missed());
        assertEquals(0, outcome.falseKills());
    }

    @Test
    void verdict_gatewayKillsLate_failsOnLateness() {
        Outcome outcome = judge(Fault.KILLS_LATE);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertTrue(outcome.lateness().p50Nanos() >= 500 * MILLI, outcome.toString());
        assertEquals(0, outcome.missed());
    }

    @Test
    void verdict_gatewayAnswersNothing_failsWithUnansweredBeats() {
        Outcome outcome = judge(Fault.MUTE);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertTrue(outcome.unansweredDevices() > (CLIENTS - SILENT) / 2, outcome.toString());
        assertEquals(0, outcome.beatsAnswered());
    }

    @Test
    void verdict_gatewayEchoesOtherBytes_failsWithViolations() {
        Outcome outcome = judge(Fault.WRONG_ECHO);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertEquals(CLIENTS, outcome.violations());
    }

    @Test
    void verdict_gatewayClosesWithAnotherCode_failsWithWrongCodes() {
        Outcome outcome = judge(Fault.WRONG_CODE);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertMost(outcome.wrongCodes());
        assertMost(outcome.silentCloses().get(4002));
    }

    @Test
    void verdict_gatewayClosesWithoutCode_failsWithWrongCodes() {
        Outcome outcome = judge(Fault.NO_CODE);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertMost(outcome.silentCloses().get(0));
    }

    @Test
    void verdict_gatewayLeavesSocketsOpen_fails() {
        Outcome outcome = judge(Fault.LEAVES_OPEN);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertMost(outcome.leftOpen());
    }

    @Test
    void verdict_gatewayRefusesSome_failsNamingTheCode() {
        Outcome outcome = judge(Fault.REFUSES);
        assertEquals(Verdict.FAIL, outcome.verdict(), outcome.toString());
        assertEquals(6, outcome.refusals().get("4201 CONNECTION_LIMIT"));
    }

    /** Four faults are tried at the same time: each run is mostly waiting, but two cores must keep its promises. */
    @BeforeAll
    static void tryAll() {
        for (Fault fault : Fault.values()) {
            OUTCOMES.put(fault, CompletableFuture.supplyAsync(() -> run(fault), THREADS));
        }
    }

    @AfterAll
    static void stop() {
        THREADS.shutdownNow();
    }

    /** On a crowded build machine a few devices may be late themselves, and are then not held against the gateway. */
    private static void assertMost(long silent) {
        assertTrue(silent > SILENT / 2 && silent <= SILENT, silent + " of " + SILENT);
    }

    private static Outcome judge(Fault fault) {
        return OUTCOMES.get(fault).join();
    }

    private static Outcome run(Fault fault) {
        try (FakeGateway gateway = new FakeGateway(fault)) {
            List<Target> targets = List.of(
                    Target.of(Protocol.TCP, gateway.tcp(), "", 1),
                    Target.of(Protocol.WS, gateway.webSocket(), "/ws", 1));
            Habits habits = new Habits(1_000, 0.6, 0, 150, "", "t-", 16, MILLI);
            // The machine a build runs on is slower than a test bench: 200 ms of slack, and the generator may lag too.
            Contract contract =
                    new Contract(20 * MILLI, 200 * MILLI, 2 * MILLI, 900 * MILLI, 250 * MILLI, 1_000 * MILLI);
            Plan plan = new Plan(targets, CLIENTS, 100, 6_000 * MILLI, habits, 0.2, 0, 7, 2, 0, contract).checked();
            try (Fleet fleet = new Fleet(plan, System::nanoTime, CALM)) {
                fleet.begin();
                while (!fleet.progress().rampIsOver()) {
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                fleet.observe();
                TimeUnit.NANOSECONDS.sleep(plan.durationNanos());
                Outcome outcome = fleet.outcome();
                fleet.dismiss(2_000 * MILLI);
                return outcome;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
