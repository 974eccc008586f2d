package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.fleet.Told.count;
import static io.heartwheel.loadgen.fleet.Told.told;
import static io.heartwheel.loadgen.measure.Count.DATA_CHANGED;
import static io.heartwheel.loadgen.measure.Count.DATA_LOST;
import static io.heartwheel.loadgen.measure.Count.DATA_UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayIT}, of messages, over Heartwheel frames and plain WebSocket: what was lost, changed, refused, over several connections too. */
@Tag("timed")
@Timeout(120)
final class MessageFaultsIT {

    private static final int ALL = 20;
    private static final String MESSAGES =
            """
            clients = 20, duration = 3s, echo = true
            behaviours = [{ kind = chatty, rate = 6, payload { distribution = uniform, min = 9B, max = 300B } }]
            """;
    private static final String SENT_AWAY =
            MESSAGES + "reconnect { policy = obey, base = 200ms, cap = 1s }, contract.goaway-allowed = true\n";
    private static final String RESTART =
            MESSAGES + "reconnect { policy = obey, base = 200ms, cap = 1s }, timeline = [{ at = 1s, do = restart }]\n";
    private static final String LENIENT = MESSAGES + "contract.refused = 1\n";

    private static final String PLAIN = "# plain-only\n";
    private static final String PLAIN_UNSAID = PLAIN + MESSAGES.replace(", echo = true", "");
    private static final String PLAIN_NO_ECHO = PLAIN + MESSAGES.replace("echo = true", "echo = false");

    private static final List<Fault> CHANGES =
            List.of(Fault.FLIPS_A_BIT, Fault.REPLACES_A_MESSAGE, Fault.TRUNCATES_A_MESSAGE, Fault.EXTENDS_A_MESSAGE);

    private static List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (Fault fault : CHANGES) {
            trials.add(new Trial(MESSAGES, fault));
            trials.add(new Trial(PLAIN + MESSAGES, fault));
        }
        for (Fault fault : List.of(Fault.NONE, Fault.SWALLOWS, Fault.SWALLOWS_AND_SENDS_AWAY)) {
            trials.add(new Trial(SENT_AWAY, fault));
            trials.add(new Trial(PLAIN + SENT_AWAY, fault));
        }
        for (Fault fault :
                List.of(Fault.CHATTERS, Fault.LOSES_A_MESSAGE, Fault.DOUBLES_A_MESSAGE, Fault.DISORDERS_A_MESSAGE)) {
            trials.add(new Trial(PLAIN + MESSAGES, fault));
        }
        trials.add(new Trial(RESTART, Fault.NONE));
        trials.add(new Trial(MESSAGES, Fault.REFUSES_MESSAGES));
        trials.add(new Trial(LENIENT, Fault.REFUSES_MESSAGES));
        trials.add(new Trial(PLAIN_UNSAID, Fault.NONE));
        trials.add(new Trial(PLAIN_NO_ECHO, Fault.NONE));
        return trials;
    }

    private static final List<Trial> TRIALS = trials();

    private static final Map<Trial, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    @BeforeAll
    static void tryAll() {
        new Trial(MESSAGES.replace("3s", "1s"), Fault.NONE).result();
        TRIALS.forEach(trial -> RESULTS.put(trial, Trial.started(trial::result)));
    }

    private static Result played(String scenario, Fault fault, RunVerdict wanted) {
        Result result = RESULTS.get(new Trial(scenario, fault)).join();
        assertEquals(wanted, result.verdict(), () -> told(result));
        return result;
    }

    @Test
    void honest_sendsAllBack_passes() {
        for (String scenario : List.of(SENT_AWAY, PLAIN + SENT_AWAY, RESTART)) {
            Result result = played(scenario, Fault.NONE, RunVerdict.PASS);
            assertTrue(count(result, Count.DATA_ECHOED) > 3 * ALL, () -> told(result));
        }
    }

    @Test
    void changesAMessage_frames_failsWithEachOfThemAndTheirOffset() {
        for (Fault fault : CHANGES) {
            Result result = played(MESSAGES, fault, RunVerdict.FAIL);
            assertCount(ALL, DATA_CHANGED, result);
            assertCount(0, DATA_LOST, result);
            String line = result.evidence().get(0).line();
            assertTrue(line.matches("messages gone wrong: t-.* bytes, other ones from offset [0-9]+ on.*"), line);
        }
    }

    @Test
    void changesAMessage_plainWebSocket_failsWithEachOfThem() {
        for (Fault fault : CHANGES) {
            Result result = played(PLAIN + MESSAGES, fault, RunVerdict.FAIL);
            assertCount(ALL, DATA_CHANGED, result);
            assertCount(0, DATA_LOST, result);
        }
    }

    @Test
    void acknowledgesAndSwallows_failsWithAllThatWasAcknowledged() {
        Result stays = played(SENT_AWAY, Fault.SWALLOWS, RunVerdict.FAIL);
        assertTrue(count(stays, DATA_LOST) > 3 * ALL, () -> told(stays));
        Result away = played(SENT_AWAY, Fault.SWALLOWS_AND_SENDS_AWAY, RunVerdict.FAIL);
        assertTrue(count(away, Count.GOAWAYS) >= ALL, () -> told(away));
        assertTrue(count(away, DATA_LOST) > 3 * ALL, () -> told(away));
        // of the connections that are open at the end the youngest may still be under way
        long underWay = count(away, Count.DATA_ACCEPTED) - count(away, DATA_LOST) - count(away, DATA_UNKNOWN);
        assertTrue(underWay >= 0 && underWay <= 8 * ALL, () -> told(away));
    }

    @Test
    void swallows_plainWebSocket_failsThoughNothingWasAcknowledged() {
        for (Fault fault : List.of(Fault.SWALLOWS, Fault.SWALLOWS_AND_SENDS_AWAY)) {
            Result result = played(PLAIN + SENT_AWAY, fault, RunVerdict.FAIL);
            assertCount(0, Count.DATA_ACCEPTED, result);
            long missing = count(result, DATA_LOST) + count(result, Count.DATA_UNACKNOWLEDGED);
            assertTrue(missing > 2 * ALL, () -> told(result));
        }
    }

    @Test
    void losesDoublesOrDisorders_plainWebSocket_failsWithEachOfThem() {
        assertCount(ALL, DATA_LOST, played(PLAIN + MESSAGES, Fault.LOSES_A_MESSAGE, RunVerdict.FAIL));
        assertCount(ALL, Count.DATA_DOUBLED, played(PLAIN + MESSAGES, Fault.DOUBLES_A_MESSAGE, RunVerdict.FAIL));
        assertCount(ALL, Count.DATA_DISORDERED, played(PLAIN + MESSAGES, Fault.DISORDERS_A_MESSAGE, RunVerdict.FAIL));
    }

    @Test
    void saysSomethingOfItsOwn_plainWebSocket_isNoMessageChanged() {
        played(PLAIN + MESSAGES, Fault.CHATTERS, RunVerdict.PASS);
    }

    @Test
    void refusesEveryMessage_failsUnlessTheScenarioAllowsIt() {
        Result result = played(MESSAGES, Fault.REFUSES_MESSAGES, RunVerdict.FAIL);
        assertCount(0, Count.DATA_ACCEPTED, result);
        assertTrue(count(result, Count.DATA_REFUSED) > 3 * ALL, () -> told(result));
        played(LENIENT, Fault.REFUSES_MESSAGES, RunVerdict.PASS);
    }

    @Test
    void nobodyWouldTell_plainWebSocketWithoutEcho_isInconclusiveUnlessSaid() {
        played(PLAIN_UNSAID, Fault.NONE, RunVerdict.INCONCLUSIVE);
        played(PLAIN_NO_ECHO, Fault.NONE, RunVerdict.PASS);
    }
}
