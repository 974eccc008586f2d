package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers that run again: grid, pause, counts, late runs, faults. */
class TimersPeriodicTest {

    private TimersRig rig = TimersRig.direct();

    @Test
    void fixedRate_turnedOnTime_runsOnTheGrid() {
        Timer timer = rig.timers.start(Schedule.atFixedRate(20, 30), rig.task());
        rig.tickTo(120);
        assertEquals(List.of(20L, 50L, 80L, 110L), rig.ran);
        assertEquals(140, timer.deadlineNanos());
        assertEquals(4, timer.runs());
        assertTrue(timer.cancel());
        rig.tickTo(300);
        assertEquals(4, rig.ran.size());
        assertTrue(rig.isEmpty());
    }

    @Test
    void fixedRate_periodBetweenTicks_keepsTheGridThoughRunsAreLate() {
        Timer timer = rig.timers.start(Schedule.atFixedRate(25, 25), rig.task());
        rig.tickTo(1_000);
        assertEquals(40, rig.ran.size());
        assertEquals(1_025, timer.deadlineNanos());
    }

    @Test
    void fixedRate_suspended_skipsWhatIsOverdueByAPeriodAndReturnsToTheGrid() {
        Timer timer = rig.timers.start(Schedule.atFixedRate(100, 100), rig.task());
        rig.tickTo(100);
        rig.advance(1_050);
        // 200 is run late; 300 to 900 are left out; 1,000 is less than a period late.
        assertEquals(List.of(100L, 1_050L), rig.ran);
        assertEquals(7, rig.skipped);
        assertEquals(7, rig.timers.counters().skipped());
        assertEquals(1_000, timer.deadlineNanos());
        rig.tickTo(1_250);
        assertEquals(List.of(100L, 1_050L, 1_060L, 1_100L, 1_200L), rig.ran);
    }

    @Test
    void fixedRate_runThatTakesLong_neverOverlaps() {
        rig = TimersRig.queued();
        rig.timers.start(Schedule.atFixedRate(10, 10), rig.task());
        rig.tickTo(45);
        assertEquals(1, rig.queue.size());
        rig.drain();
        assertEquals(2, rig.skipped);
        rig.advance(45);
        assertEquals(1, rig.queue.size());
        rig.drain();
        rig.advance(50);
        rig.drain();
        assertEquals(List.of(45L, 45L, 50L), rig.ran);
    }

    @Test
    void fixedRate_gridOverTheEndOfTime_doesNotDrift() {
        long start = Long.MAX_VALUE - 995;
        rig = new TimersRig(start, 10, 10, true);
        // One of its points is the one long that is no point in time.
        assertEquals(Deadline.NO_DEADLINE, start + 96 + 900);
        Timer timer = rig.timers.start(Schedule.atFixedRate(96, 100), rig.task());
        rig.tickTo(990);
        assertEquals(Deadline.FIRST, timer.deadlineNanos());
        rig.tickTo(2_000);
        assertEquals(20, rig.ran.size());
        assertEquals(start + 2_096, timer.deadlineNanos());
    }

    @Test
    void fixedDelay_afterEachRun_pauses() {
        rig = TimersRig.queued();
        Timer timer = rig.timers.start(Schedule.withFixedDelay(10, 50), rig.task());
        rig.advance(10);
        rig.now = 33;
        rig.drain();
        assertEquals(83, timer.deadlineNanos());
        rig.tickTo(80);
        assertTrue(rig.queue.isEmpty());
        rig.advance(90);
        rig.drain();
        assertEquals(140, timer.deadlineNanos());
        assertEquals(0, rig.skipped);
    }

    @Test
    void times_runsDone_endsTheTimer() {
        Timer timer = rig.timers.start(Schedule.atFixedRate(10, 10).times(3), rig.task());
        rig.tickTo(100);
        assertEquals(List.of(10L, 20L, 30L), rig.ran);
        assertEquals(Timer.State.FIRED, timer.state());
        assertEquals(3, timer.runs());
        assertFalse(timer.cancel());
        assertTrue(rig.isEmpty());
    }

    @Test
    void run_throws_periodicTimerGoesOn() {
        Timer timer = rig.timers.start(Schedule.atFixedRate(10, 10), () -> {
            throw new IllegalStateException("as planned");
        });
        rig.tickTo(50);
        assertEquals(5, rig.failures.size());
        assertEquals(Timer.State.PENDING, timer.state());
    }

    @Test
    void run_refused_periodicTimerGoesOn() {
        rig = TimersRig.queued();
        rig.refuses = true;
        Timer timer = rig.timers.start(Schedule.atFixedRate(10, 10).times(5), rig.task());
        rig.tickTo(30);
        assertEquals(3, rig.refusals.size());
        rig.refuses = false;
        for (long t = 40; t <= 100; t += 10) {
            rig.advance(t);
            rig.drain();
        }
        assertEquals(List.of(40L, 50L), rig.ran);
        assertEquals(5, timer.runs());
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_fromWithinTheRun_preventsTheRest() {
        Timer[] timer = new Timer[1];
        boolean[] prevented = new boolean[2];
        timer[0] = rig.timers.start(Schedule.atFixedRate(10, 10), () -> {
            rig.ran.add(rig.now);
            prevented[0] = timer[0].cancel();
            prevented[1] = timer[0].cancel();
        });
        rig.tickTo(50);
        assertEquals(List.of(10L), rig.ran);
        assertTrue(prevented[0]);
        assertFalse(prevented[1]);
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_runHandedOverButNotBegun_preventsItToo() {
        rig = TimersRig.queued();
        Timer timer = rig.timers.start(Schedule.withFixedDelay(10, 10), rig.task());
        rig.advance(10);
        assertTrue(timer.cancel());
        rig.drain();
        assertEquals(List.of(), rig.ran);
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_executorDroppedTheRun_givesTheHandleBack() {
        Timer timer = rig.timers.start(Schedule.withFixedDelay(10, 10), rig.task(), run -> {});
        rig.tickTo(100);
        assertEquals(1, timer.runs());
        assertEquals(Timer.State.PENDING, timer.state());
        assertTrue(timer.cancel());
        assertTrue(rig.isEmpty());
    }

    @Test
    void run_startsCancelsAndThrowsAtOnce_onTheWheelThread() {
        Timer other = rig.timers.once(1_000, rig.task());
        rig.timers.start(Schedule.atFixedRate(10, 10).times(2), () -> {
            rig.timers.once(0, rig.task());
            other.cancel();
            throw new IllegalStateException("as planned");
        });
        rig.tickTo(2_000);
        assertEquals(List.of(20L, 30L), rig.ran);
        assertEquals(2, rig.failures.size());
        assertEquals(Timer.State.CANCELLED, other.state());
        assertTrue(rig.isEmpty());
    }
}
