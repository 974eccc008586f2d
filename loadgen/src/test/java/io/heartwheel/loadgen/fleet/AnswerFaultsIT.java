package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.fleet.Told.told;
import static io.heartwheel.loadgen.measure.Count.BEATS_PASSED_OVER;
import static io.heartwheel.loadgen.measure.Count.BEATS_UNANSWERED;
import static io.heartwheel.loadgen.measure.Count.DEVICES_UNANSWERED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayIT}, of answers to heartbeats, over Heartwheel frames and plain WebSocket: each that is missing or late is counted. */
@Tag("timed")
@Timeout(120)
final class AnswerFaultsIT {

    private static final int ALL = 20;
    private static final String BEATING = "clients = 20, duration = 3s\n";
    /** A beat each 250 ms, where an answer may take 400 ms. */
    private static final String FAST = "clients = 20, duration = 2500ms, heartbeat.share = 0.25\n";

    /** A beat each 1.8 s: one that is late by a second and more does not make the next one late. */
    private static final String SLOW = "clients = 20, duration = 8s, heartbeat.interval = 3s\n";

    private static final String PLAIN = "# plain-only\n";

    private static final List<Trial> TRIALS = List.of(
            new Trial(BEATING, Fault.NONE),
            new Trial(FAST, Fault.NONE),
            new Trial(PLAIN + BEATING, Fault.NONE),
            new Trial(PLAIN + FAST, Fault.NONE),
            new Trial(BEATING, Fault.LEAVES_ANSWERS_OUT),
            new Trial(FAST, Fault.LEAVES_ANSWERS_OUT),
            new Trial(PLAIN + BEATING, Fault.LEAVES_ANSWERS_OUT),
            new Trial(PLAIN + FAST, Fault.LEAVES_ANSWERS_OUT),
            new Trial(SLOW, Fault.ANSWERS_LATE),
            new Trial(PLAIN + SLOW, Fault.ANSWERS_LATE),
            new Trial(PLAIN + FAST, Fault.MUTE));

    private static final Map<Trial, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    @BeforeAll
    static void tryAll() {
        new Trial(BEATING.replace("3s", "1s"), Fault.NONE).result();
        TRIALS.forEach(trial -> RESULTS.put(trial, Trial.started(trial::result)));
    }

    private static Result played(String scenario, Fault fault, RunVerdict wanted) {
        Result result = RESULTS.get(new Trial(scenario, fault)).join();
        assertEquals(wanted, result.verdict(), () -> told(result));
        return result;
    }

    @Test
    void honest_answersAll_passes() {
        for (String scenario : List.of(BEATING, FAST, PLAIN + BEATING, PLAIN + FAST)) {
            assertCount(0, BEATS_UNANSWERED, played(scenario, Fault.NONE, RunVerdict.PASS));
        }
    }

    @Test
    void leavesAnswersOut_frames_failsWithEachOfThem() {
        for (String scenario : List.of(BEATING, FAST)) {
            Result result = played(scenario, Fault.LEAVES_ANSWERS_OUT, RunVerdict.FAIL);
            assertCount(2 * ALL, BEATS_UNANSWERED, result);
            assertCount(2 * ALL, BEATS_PASSED_OVER, result);
            assertCount(ALL, DEVICES_UNANSWERED, result);
            String line = result.evidence().get(0).line();
            assertTrue(line.contains("heartbeat 3 to 4 passed over"), line);
        }
    }

    @Test
    void leavesAnswersOut_plainWebSocket_failsWithEachOfThem() {
        for (String scenario : List.of(PLAIN + BEATING, PLAIN + FAST)) {
            Result result = played(scenario, Fault.LEAVES_ANSWERS_OUT, RunVerdict.FAIL);
            assertCount(2 * ALL, BEATS_UNANSWERED, result);
            assertCount(ALL, DEVICES_UNANSWERED, result);
        }
    }

    @Test
    void answersLate_oneOfEachDevice_failsWithEachOfThem() {
        for (String scenario : List.of(SLOW, PLAIN + SLOW)) {
            Result result = played(scenario, Fault.ANSWERS_LATE, RunVerdict.FAIL);
            assertCount(ALL, BEATS_UNANSWERED, result);
            assertCount(0, BEATS_PASSED_OVER, result);
            assertCount(ALL, DEVICES_UNANSWERED, result);
        }
    }

    @Test
    void answersNothing_plainWebSocket_failsWithEveryDevice() {
        Result result = played(PLAIN + FAST, Fault.MUTE, RunVerdict.FAIL);
        assertCount(ALL, DEVICES_UNANSWERED, result);
        assertCount(0, Count.BEATS_ANSWERED, result);
    }
}
