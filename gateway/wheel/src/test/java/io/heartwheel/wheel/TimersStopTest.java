package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Timers that a stop returns, and calls after it. */
class TimersStopTest {

    private TimersRig rig = TimersRig.direct();

    @Test
    void stop_mixedTimers_returnsThoseWithRunsToComeAndRunsNoneOfThem() {
        rig.timers.once(10, rig.task());
        rig.advance(10);
        Timer cancelled = rig.timers.once(20, rig.task());
        cancelled.cancel();
        Timer once = rig.timers.once(30, rig.task());
        Timer again = rig.timers.start(Schedule.atFixedRate(10, 20), rig.task());
        Timer keyed = rig.timers.replace("a", Schedule.once(30), rig.task());
        rig.advance(20);
        assertEquals(Set.of(once, again, keyed), Set.copyOf(rig.timers.stop()));
        assertTrue(rig.timers.isStopped());
        assertEquals(Timer.State.STOPPED, once.state());
        assertEquals(Timer.State.STOPPED, again.state());
        assertFalse(once.cancel());
        assertEquals(List.of(), rig.timers.stop());
        rig.tickTo(200);
        assertEquals(List.of(10L, 20L), rig.ran);
        assertTrue(rig.isEmpty());
    }

    @Test
    void start_afterStop_isRejected() {
        rig.timers.stop();
        var rejection = assertThrows(RejectedExecutionException.class, () -> rig.timers.once(1, rig.task()));
        assertEquals("timers.stopped = true: none are taken any more", rejection.getMessage());
        assertThrows(RejectedExecutionException.class, () -> rig.timers.replace("a", Schedule.once(1), rig.task()));
        assertTrue(rig.isEmpty());
    }

    @Test
    void stop_runQueuedOrUnderWay_returnsTheRestOnce() {
        rig = TimersRig.queued();
        Timer[] inside = new Timer[1];
        List<?>[] answer = new List<?>[1];
        Timer queued = rig.timers.start(Schedule.atFixedRate(10, 10), rig.task());
        inside[0] = rig.timers.start(Schedule.atFixedRate(10, 10), () -> answer[0] = rig.timers.stop(), Runnable::run);
        rig.advance(10);
        assertEquals(Set.of(queued, inside[0]), Set.copyOf(answer[0]));
        rig.drain();
        assertEquals(List.of(), rig.ran);
        assertEquals(1, inside[0].runs());
        assertTrue(rig.isEmpty());
    }

    @Test
    void stop_fromWithinATaskThatThenStarts_rejectsThat() {
        rig.timers.once(10, () -> {
            rig.timers.stop();
            rig.timers.once(10, rig.task());
        });
        rig.advance(10);
        assertEquals(1, rig.failures.size());
        assertTrue(rig.failures.get(0) instanceof RejectedExecutionException);
        assertTrue(rig.isEmpty());
    }

    @Test
    void stop_oneWhoseLastRunWasHandedOver_letsItRun() {
        rig = TimersRig.queued();
        rig.timers.once(10, rig.task());
        rig.advance(10);
        assertEquals(List.of(), rig.timers.stop());
        rig.drain();
        assertEquals(List.of(10L), rig.ran);
    }
}
