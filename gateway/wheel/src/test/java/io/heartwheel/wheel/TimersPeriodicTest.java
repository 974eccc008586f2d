package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers that run again, as far as {@link TimersModel} leaves them out. */
class TimersPeriodicTest {

    private TimersRig rig = TimersRig.direct();

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
    void cancel_executorDroppedTheRun_givesTheHandleBack() {
        Timer timer = rig.timers.start(Schedule.withFixedDelay(10, 10), rig.task(), run -> {});
        rig.tickTo(100);
        assertEquals(1, timer.runs());
        assertEquals(Timer.State.PENDING, timer.state());
        assertTrue(timer.cancel());
        assertTrue(rig.isEmpty());
    }
}
