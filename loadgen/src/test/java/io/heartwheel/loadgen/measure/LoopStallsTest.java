package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Time that the load generator itself could not see, to the nanosecond, under a clock that is set. */
final class LoopStallsTest {

    private static final long MILLI = 1_000_000L;

    private final ProcessStalls process = new ProcessStalls(MILLI);
    private final LoopStalls loop = new LoopStalls(MILLI, process);

    /** Punctual ticks, and a watch that wakes in time, until then. */
    private void runTo(long fromMillis, long toMillis) {
        for (long at = fromMillis; at <= toMillis; at++) {
            loop.tick(at * MILLI);
            process.woke(at * MILLI);
        }
    }

    private long own(long fromMillis, long nowMillis) {
        long nanos = loop.own(fromMillis * MILLI, nowMillis * MILLI);
        assertEquals(0, nanos % MILLI);
        return nanos / MILLI;
    }

    @Test
    void own_punctualLoop_isNothing() {
        runTo(0, 100);
        assertEquals(0, own(0, 101));
        assertEquals(0, own(50, 104));
        assertEquals(0, LoopStalls.none().own(0, 1_000 * MILLI));
    }

    @Test
    void own_seenBeforeTheLateTick_countsFromTheLastPunctualOne() {
        runTo(0, 100);
        process.woke(299 * MILLI); // the loop alone was held up; the watch was late as well
        assertEquals(200, own(0, 300));
        assertEquals(100, own(200, 300));
        assertEquals(0, own(300, 300));
    }

    @Test
    void own_seenAfterTheLateTickBeforeAPunctualOne_countsAsWell() {
        runTo(0, 100);
        assertEquals(199 * MILLI, loop.tick(300 * MILLI), "the step that it was to sleep is none of it");
        process.woke(300 * MILLI);
        assertEquals(201, own(0, 301));
        assertEquals(0, loop.tick(301 * MILLI));
        process.woke(301 * MILLI);
        assertEquals(0, own(300, 302));
    }

    @Test
    void own_loopAloneStoodStillBefore_excusesNothingLater() {
        for (long at = 0; at <= 300; at++) {
            process.woke(at * MILLI);
        }
        loop.tick(0);
        loop.tick(200 * MILLI);
        loop.tick(201 * MILLI);
        assertEquals(0, own(0, 202), "the loop has looked since: what it sees now came now");
    }

    @Test
    void own_processStoodStillBefore_countsWhereverItLies() {
        runTo(0, 100);
        runTo(300, 400);
        assertEquals(200, own(0, 401));
        assertEquals(150, own(150, 401));
        assertEquals(0, own(300, 401));
        assertEquals(200, loop.ofProcess(0, 401 * MILLI) / MILLI);
        assertEquals(50, loop.ofProcess(0, 150 * MILLI) / MILLI);
        runTo(450, 460);
        assertEquals(50, own(400, 461));
        assertEquals(
                0, loop.ofProcess(400 * MILLI, 461 * MILLI), "too short for a server to move its deadlines for it");
    }

    @Test
    void own_loopBehindAndProcessStopped_countEachInstantOnce() {
        runTo(0, 100);
        loop.tick(300 * MILLI);
        process.woke(300 * MILLI);
        for (long at = 302; at <= 360; at += 2) {
            process.woke(at * MILLI);
        }
        loop.tick(350 * MILLI);
        assertEquals(260, own(0, 360));
        runTo(361, 370);
        assertEquals(200, own(0, 371), "of what the loop alone was behind nothing is left");
    }

    @Test
    void within_watchNotYetAwake_countsTheStallThatIsNotNotedYet() {
        process.woke(0);
        process.woke(50 * MILLI);
        assertEquals(50 * MILLI + 100 * MILLI, process.within(0, 150 * MILLI));
        process.woke(150 * MILLI);
        assertEquals(150 * MILLI, process.within(0, 155 * MILLI));
    }

    @Test
    void within_watchThatSleepsLonger_countsWhatItWasLateByAlone() {
        ProcessStalls rare = new ProcessStalls(1_000 * MILLI);
        for (long at = 0; at <= 5_000; at += 1_000) {
            rare.woke(at * MILLI);
        }
        assertEquals(0, rare.within(0, 6_005 * MILLI), "it sleeps");
        assertEquals(52 * MILLI, rare.within(0, 6_050 * MILLI), "2 ms are what it sleeps at the least");
        rare.woke(6_300 * MILLI);
        assertEquals(302 * MILLI, rare.within(0, 7_000 * MILLI));
        assertEquals(0, rare.within(0, 5_998 * MILLI));
    }

    @Test
    void within_timeStolen_countsAtTheEndOfItsWindowAndOnce() {
        process.stolen(0, 100 * MILLI, 40 * MILLI);
        assertEquals(40 * MILLI, process.within(0, 200 * MILLI));
        assertEquals(0, process.within(0, 60 * MILLI));
        process.stolen(100 * MILLI, 200 * MILLI, 500 * MILLI);
        assertEquals(140 * MILLI, process.within(0, 300 * MILLI));
        process.stolen(200 * MILLI, 300 * MILLI, 5 * MILLI);
        assertEquals(140 * MILLI, process.within(0, 300 * MILLI), "a tick or less is how a machine is");
    }

    @Test
    void within_machineWithoutAProcessorToGive_countsTheWholeWindow() {
        process.busy(0, 100 * MILLI, 180 * MILLI, 2);
        assertEquals(0, process.within(0, 300 * MILLI));
        process.busy(100 * MILLI, 200 * MILLI, 200 * MILLI, 2);
        assertEquals(100 * MILLI, process.within(0, 300 * MILLI));
        process.stolen(100 * MILLI, 200 * MILLI, 50 * MILLI);
        assertEquals(100 * MILLI, process.within(0, 300 * MILLI));
    }

    @Test
    void within_moreStallsThanAreKept_forgetsTheFirst() {
        process.woke(0);
        for (int i = 1; i <= 600; i++) {
            process.woke((i * 40L - 20) * MILLI); // late by 20
            for (int awake = -18; awake <= 0; awake += 2) {
                process.woke((i * 40L + awake) * MILLI);
            }
        }
        assertEquals(512 * 20 * MILLI, process.within(0, 24_000 * MILLI));
        assertEquals(100 * 20 * MILLI, process.within(20_000 * MILLI, 24_000 * MILLI));
    }
}
