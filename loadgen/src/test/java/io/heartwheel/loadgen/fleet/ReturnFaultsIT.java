package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.count;
import static io.heartwheel.loadgen.measure.Count.BACK_EARLY;
import static io.heartwheel.loadgen.measure.Count.BACK_IN_WINDOW;
import static io.heartwheel.loadgen.measure.Count.BACK_NEVER;
import static io.heartwheel.loadgen.measure.Count.LOST_UNTOLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayIT}, of devices that are sent away with a retry window: whom the gateway keeps out, and who is not told. */
@Tag("timed")
@Timeout(120)
final class ReturnFaultsIT {

    private static final int ALL = 40;
    private static final String OBEDIENT =
            """
            clients = 40, duration = 4s, reconnect { policy = obey, base = 200ms, cap = 1s }
            timeline = [{ at = 1s, do = restart }]
            assert = [ "back_never = 0", "lost_untold = 0" ]
            """;
    private static final String HASTY = OBEDIENT.replace("policy = obey", "policy = naive");

    private static Result played(String scenario, Fault fault, RunVerdict wanted) {
        Result result = new Trial(scenario, fault).result();
        assertEquals(wanted, result.verdict(), () -> result.findings() + " " + result.counts());
        return result;
    }

    private static void assertCounts(Result result, long inWindow, long never, long early, long untold) {
        assertEquals(inWindow, count(result, BACK_IN_WINDOW), () -> "in window " + result.counts());
        assertEquals(never, count(result, BACK_NEVER), () -> "never " + result.counts());
        assertEquals(early, count(result, BACK_EARLY), () -> "early " + result.counts());
        assertEquals(untold, count(result, LOST_UNTOLD), () -> "untold " + result.counts());
    }

    @Test
    void honest_letsThemInInTheirWindow_passes() {
        assertCounts(played(OBEDIENT, Fault.NONE, RunVerdict.PASS), ALL, 0, 0, 0);
    }

    @Test
    void keepsOut_whoWasTold_failsWithEachOfThem() {
        Result result = played(OBEDIENT, Fault.KEEPS_OUT, RunVerdict.FAIL);
        assertCounts(result, 0, ALL, 0, 0);
        String line = result.evidence().get(0).line();
        assertTrue(line.startsWith("device not let in within its retry window: t-"), line);
    }

    @Test
    void saysNoGoaway_andCloses_failsWithEachOfThem() {
        assertCounts(played(OBEDIENT, Fault.SAYS_NO_GOAWAY, RunVerdict.FAIL), 0, 0, 0, ALL);
    }

    @Test
    void honest_devicesDoNotWait_areNotTheGatewaysFault() {
        Result result = played(HASTY, Fault.NONE, RunVerdict.PASS);
        // one whose event loop stood still for a moment may come in its window all the same
        long inWindow = count(result, BACK_IN_WINDOW);
        assertCounts(result, inWindow, 0, ALL - inWindow, 0);
        assertTrue(inWindow < ALL / 2, () -> "in window " + result.counts());
    }
}
