package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Limits, time at its ends, faults, stop: what {@link TimersModel} and the table of states leave out. */
class TimersTest {

    private TimersRig rig = TimersRig.direct();

    // --- once ---

    @Test
    void once_delayThatOverflows_isTakenAsTheLongest() {
        for (long start : new long[] {0, Long.MAX_VALUE - 5, Long.MIN_VALUE, -1}) {
            rig = new TimersRig(start, 10, 10, true);
            Timer timer = rig.timers.once(Long.MAX_VALUE, rig.task());
            assertEquals(Deadline.MAX_DELAY_NANOS, timer.deadlineNanos() - start, 3);
            rig.advance(Deadline.MAX_DELAY_NANOS / 2);
            rig.advance(Deadline.MAX_DELAY_NANOS - 1);
            assertEquals(List.of(), rig.ran);
            rig.advance(Deadline.MAX_DELAY_NANOS + TimersRig.TICK + 3);
            assertEquals(1, rig.ran.size());
        }
    }

    @Test
    void once_durationTaskAndExecutor_areKept() {
        Runnable task = rig.task();
        Timer timer = rig.timers.once(Duration.ofNanos(35), task);
        assertEquals(35, timer.deadlineNanos());
        assertSame(task, timer.task());
        List<Runnable> mine = new ArrayList<>();
        rig.timers.once(10, task, mine::add);
        rig.advance(10);
        assertEquals(1, mine.size());
    }

    // --- limits ---

    @Test
    void start_tooManyPending_isRejectedWithTheLimit() {
        rig = new TimersRig(0, 100, 2, true);
        Timer first = rig.timers.once(10, rig.task());
        rig.timers.once(20, rig.task());
        var rejection = assertThrows(RejectedExecutionException.class, () -> rig.timers.once(30, rig.task()));
        assertEquals("timers.maxPending = 2: that many are pending", rejection.getMessage());
        assertEquals(1, rig.timers.counters().rejected());
        assertEquals(2, rig.timers.pending());
        assertTrue(first.cancel());
        rig.timers.once(30, rig.task());
        rig.advance(100);
        assertTrue(rig.isEmpty());
        assertEquals(2, rig.ran.size());
    }

    @Test
    void start_wheelFull_isRejectedWithTheLimitAndLeavesNothing() {
        rig = new TimersRig(0, 1, 100, true);
        rig.timers.once(10, rig.task());
        var rejection = assertThrows(RejectedExecutionException.class, () -> rig.timers.once(20, rig.task()));
        assertEquals("wheel.maxEntries = 1: every handle is in use", rejection.getMessage());
        assertEquals(1, rig.timers.pending());
        rig.advance(10);
        assertTrue(rig.isEmpty());
    }

    @Test
    void timers_badArguments_areRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Timers(rig.wheel, () -> 0, Runnable::run, 0, TimerObserver.NONE));
        assertThrows(NullPointerException.class, () -> rig.timers.once(1, null));
        assertThrows(NullPointerException.class, () -> rig.timers.once(1, rig.task(), null));
        assertThrows(NullPointerException.class, () -> rig.timers.replace(null, Schedule.once(1), rig.task()));
        assertTrue(rig.isEmpty());
    }

    // --- started again ---

    /** A device that is heard each tick, with a timeout of five. */
    @Test
    void replace_againBeforeItIsDue_leavesOneTimerAndOneEntry() {
        int times = 10_000;
        for (int i = 0; i < times; i++) {
            rig.timers.replace("device-7", 50, rig.task());
            rig.advance(rig.now + TimersRig.TICK);
            assertEquals(1, rig.timers.pending());
            assertEquals(1, rig.wheel.counters().registered());
        }
        assertEquals(times - 1, rig.timers.counters().cancelled());

        long last = rig.now - TimersRig.TICK;
        rig.tickTo(last + 100);

        assertEquals(List.of(last + 50), rig.ran);
        assertTrue(rig.isEmpty());
    }

    @Test
    void replace_byDuration_isReplacedByItself() {
        rig.timers.replace("a", Duration.ofNanos(20), rig.task());
        Timer second = rig.timers.replace("a", Duration.ofNanos(60), rig.task());
        rig.tickTo(50);
        assertEquals(List.of(), rig.ran);
        assertEquals(60, second.deadlineNanos());
        rig.tickTo(70);
        assertEquals(List.of(60L), rig.ran);
    }

    @Test
    void once_againBeforeItIsDue_leavesTheEarlierPending() {
        rig.timers.once(50, rig.task());
        rig.timers.once(50, rig.task());
        assertEquals(2, rig.timers.pending());
    }

    // --- faults ---

    @Test
    void expire_taskThrows_isToldAndHurtsNoOther() {
        IllegalStateException fault = new IllegalStateException("as planned");
        rig.timers.once(10, () -> {
            throw fault;
        });
        rig.timers.once(10, rig.task());
        rig.advance(10);
        assertEquals(List.of(10L), rig.ran);
        assertEquals(List.of(fault), rig.failures);
        assertEquals(1, rig.timers.counters().failed());
        assertEquals(0, rig.wheel.counters().failed());
    }

    @Test
    void expire_observerThrows_isCounted() {
        TimerObserver thrower = new TimerObserver() {
            @Override
            public void failed(Timer timer, Throwable failure) {
                throw new IllegalStateException("again");
            }
        };
        Timers timers = new Timers(rig.wheel, () -> 0, Runnable::run, 10, thrower);
        timers.once(10, () -> {
            throw new IllegalStateException("as planned");
        });
        rig.advance(10);
        assertEquals(2, timers.counters().failed());
        assertEquals(0, rig.wheel.counters().failed());
    }

    @Test
    void arm_wakerThrows_rejectsTheTimerAndLeavesNothing() {
        rig.advance(0);
        rig.wheel.beginSleep(0);
        rig.wheel.wokenBy(() -> {
            throw new IllegalStateException("no thread");
        });
        assertThrows(IllegalStateException.class, () -> rig.timers.once(10, rig.task()));
        rig.wheel.wokenBy(() -> {});
        rig.advance(100);
        assertEquals(List.of(), rig.ran);
        assertTrue(rig.isEmpty());
    }

    // --- keys ---

    // --- stop ---

    @Test
    void start_afterStop_isRejected() {
        rig.timers.stop();
        var rejection = assertThrows(RejectedExecutionException.class, () -> rig.timers.once(1, rig.task()));
        assertEquals("timers.stopped = true: none are taken any more", rejection.getMessage());
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

    // --- several on a wheel ---

    @Test
    void timers_besideOthersOnTheWheel_leaveThemAlone() {
        Probe probe = Probe.armed(rig.wheel, 100);
        Timers others = new Timers(rig.wheel, () -> 0, Runnable::run, 10, TimerObserver.NONE);
        Timer theirs = others.once(100, rig.task());
        Timer mine = rig.timers.once(100, rig.task());
        assertEquals(List.of(mine), rig.timers.stop());
        rig.advance(100);
        assertEquals(1, probe.expired);
        assertEquals(Timer.State.FIRED, theirs.state());
    }

    @Test
    void toString_anyTimer_namesKeyAndState() {
        Timer timer = rig.timers.replace("a", Schedule.once(10), rig.task());
        assertEquals("a", timer.key());
        assertEquals("timer a PENDING, runs 0", timer.toString());
        assertNull(rig.timers.once(1, rig.task()).key());
    }
}
