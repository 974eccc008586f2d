package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Starting once, limits, time at its ends, faults, keys. */
class TimersTest {

    private TimersRig rig = TimersRig.direct();

    // --- once ---

    @Test
    void once_delayOver_runsOnceWithinATick() {
        Timer timer = rig.timers.once(35, rig.task());
        assertEquals(35, timer.deadlineNanos());
        rig.tickTo(200);
        assertEquals(List.of(40L), rig.ran);
        assertEquals(Timer.State.FIRED, timer.state());
        assertEquals(1, timer.runs());
        assertTrue(rig.isEmpty());
    }

    @Test
    void once_zeroOrNegativeDelay_isDueInTheNextAdvance() {
        rig.advance(57);
        rig.timers.once(0, rig.task());
        rig.timers.once(-1_000, rig.task());
        rig.timers.once(Long.MIN_VALUE, rig.task());
        assertEquals(List.of(), rig.ran);
        rig.advance(57);
        assertEquals(List.of(57L, 57L, 57L), rig.ran);
    }

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
    void once_duration_isItsNanoseconds() {
        Runnable task = rig.task();
        Timer timer = rig.timers.once(Duration.ofNanos(35), task);
        assertEquals(35, timer.deadlineNanos());
        assertSame(task, timer.task());
    }

    @Test
    void once_ownExecutor_getsTheTask() {
        List<Runnable> mine = new ArrayList<>();
        rig.timers.once(10, rig.task(), mine::add);
        rig.advance(10);
        assertEquals(List.of(), rig.ran);
        mine.get(0).run();
        assertEquals(List.of(10L), rig.ran);
    }

    @Test
    void once_executorThatQueues_runsNothingOnTheWheelThread() {
        rig = TimersRig.queued();
        Timer timer = rig.timers.once(10, rig.task());
        rig.advance(10);
        assertEquals(List.of(), rig.ran);
        assertEquals(Timer.State.FIRED, timer.state());
        assertFalse(timer.cancel(), "it was handed over");
        rig.drain();
        assertEquals(List.of(10L), rig.ran);
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
    void expire_executorRefuses_isToldAndHurtsNoOther() {
        rig = TimersRig.queued();
        rig.refuses = true;
        Timer lost = rig.timers.once(10, rig.task());
        rig.timers.once(10, rig.task(), Runnable::run);
        rig.advance(10);
        assertEquals(List.of(10L), rig.ran);
        assertEquals(1, rig.refusals.size());
        assertEquals(1, rig.timers.counters().refused());
        assertEquals(Timer.State.FIRED, lost.state());
        assertTrue(rig.isEmpty());
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

    @Test
    void replace_keyInUse_cancelsTheOldOne() {
        Timer old = rig.timers.replace("a", Schedule.once(10), rig.task());
        Timer young = rig.timers.replace("a", Schedule.once(30), rig.task());
        assertEquals(Timer.State.CANCELLED, old.state());
        assertSame(young, rig.timers.get("a"));
        assertEquals(1, rig.timers.pending());
        rig.tickTo(50);
        assertEquals(List.of(30L), rig.ran);
        assertNull(rig.timers.get("a"));
        assertTrue(rig.isEmpty());
    }

    @Test
    void replace_limitReached_keepsTheOldOne() {
        rig = new TimersRig(0, 100, 1, true);
        Timer old = rig.timers.replace("a", Schedule.once(10), rig.task());
        assertThrows(RejectedExecutionException.class, () -> rig.timers.replace("a", Schedule.once(10), rig.task()));
        assertSame(old, rig.timers.get("a"));
    }

    @Test
    void replace_otherKeysAndTimersWithout_areLeftAlone() {
        Timer a = rig.timers.replace("a", Schedule.once(10), rig.task());
        Timer b = rig.timers.replace("b", Schedule.once(10), rig.task());
        Timer none = rig.timers.once(10, rig.task());
        assertNull(none.key());
        assertEquals("a", a.key());
        assertTrue(rig.timers.remove("a"));
        assertEquals(Timer.State.PENDING, b.state());
        assertEquals(1, rig.timers.keys());
        rig.advance(10);
        assertEquals(2, rig.ran.size());
    }

    @Test
    void remove_pendingFiredOrUnknownKey_tellsWhetherItPrevented() {
        assertFalse(rig.timers.remove("a"));
        rig.timers.replace("a", Schedule.once(10), rig.task());
        assertTrue(rig.timers.remove("a"));
        assertFalse(rig.timers.remove("a"));
        rig.timers.replace("a", Schedule.once(10), rig.task());
        rig.advance(10);
        assertFalse(rig.timers.remove("a"));
        assertEquals(1, rig.ran.size());
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_keyedTimer_forgetsTheKey() {
        Timer timer = rig.timers.replace("a", Schedule.once(10), rig.task());
        assertTrue(timer.cancel());
        assertNull(rig.timers.get("a"));
        assertTrue(rig.isEmpty());
    }

    @Test
    void replace_fromWithinTheKeysTask_startsTheNext() {
        rig.timers.replace("a", Schedule.once(10), () -> {
            assertNull(rig.timers.get("a"));
            rig.timers.replace("a", Schedule.once(10), rig.task());
        });
        rig.tickTo(50);
        assertEquals(List.of(20L), rig.ran);
        assertTrue(rig.isEmpty());
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
        assertEquals("timer a PENDING, runs 0", timer.toString());
        assertNotEquals("", rig.timers.once(1, rig.task()).toString());
    }
}
