package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.measure.Count.ACCEPTED_ONLY;
import static io.heartwheel.loadgen.measure.Count.HELD_BACK;
import static io.heartwheel.loadgen.measure.Count.NEVER_WELCOMED;
import static io.heartwheel.loadgen.measure.Count.OPENED;
import static io.heartwheel.loadgen.measure.Count.SENT_AWAY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayIT}, of who is let in and who is sent away: a gateway that stops to welcome, or has enough of its devices. */
@Tag("timed")
@Timeout(120)
final class WelcomeFaultsIT {

    private static final String FEW = "clients = 120, duration = 4s\n";
    private static final String MANY = "clients = 600, duration = 4s, heartbeat.interval = 5s\n";
    private static final String BEATING = "clients = 40, duration = 3s, reconnect { policy = obey, base = 200ms }\n";
    private static final String ALLOWED = BEATING + "contract.goaway-allowed = true\n";
    private static final String ORDERED =
            "clients = 40, duration = 5s, reconnect { policy = obey, base = 200ms, cap = 1s }\n"
                    + "timeline = [{ at = 1s, do = restart }]\n";

    private static Map<Trial, CompletableFuture<Result>> results = Map.of();

    @BeforeAll
    static void tryAll() {
        results = Stream.of(
                        new Trial(MANY, Fault.STOPS_WELCOMING),
                        new Trial(FEW, Fault.STOPS_WELCOMING),
                        new Trial(FEW, Fault.NEVER_WELCOMES),
                        new Trial(BEATING, Fault.SENDS_AWAY),
                        new Trial(ALLOWED, Fault.SENDS_AWAY),
                        new Trial(ORDERED, Fault.NONE),
                        new Trial(MANY, Fault.NONE))
                .collect(Collectors.toMap(trial -> trial, trial -> Trial.started(trial::result)));
    }

    private static Result played(String scenario, Fault fault, RunVerdict wanted) {
        Result result = results.get(new Trial(scenario, fault)).join();
        assertEquals(wanted, result.verdict(), () -> result.findings() + " " + result.counts());
        return result;
    }

    private static void assertSaid(String wanted, Result result) {
        assertEquals(wanted, result.findings().get(0).text(), () -> String.valueOf(result.findings()));
    }

    @Test
    void stopsWelcoming_ofMany_failsWithThoseThatWaitAndThoseBehindThem() {
        Result result = played(MANY, Fault.STOPS_WELCOMING, RunVerdict.FAIL);
        assertCount(100, OPENED, result);
        assertCount(256, NEVER_WELCOMED, result);
        assertCount(256, ACCEPTED_ONLY, result);
        assertCount(244, HELD_BACK, result);
        assertSaid(
                "256 devices were never welcomed: the gateway stopped after 100; 256 were accepted and no more,"
                        + " 244 not begun because too many waited",
                result);
    }

    @Test
    void stopsWelcoming_theLastFew_failsWithEachOfThem() {
        Result result = played(FEW, Fault.STOPS_WELCOMING, RunVerdict.FAIL);
        assertCount(20, NEVER_WELCOMED, result);
        assertCount(0, HELD_BACK, result);
    }

    @Test
    void neverWelcomes_anybody_failsWithEachOfThem() {
        assertCount(120, NEVER_WELCOMED, played(FEW, Fault.NEVER_WELCOMES, RunVerdict.FAIL));
    }

    @Test
    void sendsAway_unasked_failsWithEachOfThem() {
        Result result = played(BEATING, Fault.SENDS_AWAY, RunVerdict.FAIL);
        assertEquals(
                result.counts().get(Count.GOAWAYS.label()),
                result.counts().get(SENT_AWAY.label()),
                () -> String.valueOf(result.counts()));
    }

    @Test
    void sendsAway_whereTheContractAllowsIt_passes() {
        assertCount(0, SENT_AWAY, played(ALLOWED, Fault.SENDS_AWAY, RunVerdict.PASS));
    }

    @Test
    void honest_sendsAwayAtARestart_passes() {
        assertCount(0, SENT_AWAY, played(ORDERED, Fault.NONE, RunVerdict.PASS));
    }

    @Test
    void honest_welcomesMany_passes() {
        assertCount(600, OPENED, played(MANY, Fault.NONE, RunVerdict.PASS));
    }
}
