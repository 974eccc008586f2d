package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Netty's own tests of its timer, run on ours in virtual time. Read: {@code HashedWheelTimerTest} of Netty 4.2.18.Final; each test names the case there,
 * and all its cases are here. Where that one waits and hopes, this one turns the wheel to the very tick.
 */
class WheelTimerNettySuiteTest {

    private WheelTimerRig rig = WheelTimerRig.ordinary();

    @AfterEach
    void stop() {
        rig.close();
    }

    private void use(WheelTimerRig other) {
        rig.close();
        rig = other;
    }

    @Test
    @DisplayName("testScheduleTimeoutShouldNotRunBeforeDelay")
    void newTimeout_beforeItsDelay_hasNotRun() {
        Timeout timeout = rig.after(10_000);
        rig.tickTo(9_999);
        assertEquals(List.of(), rig.ran);
        assertFalse(timeout.isExpired());
    }

    @Test
    @DisplayName("testScheduleTimeoutShouldRunAfterDelay")
    void newTimeout_afterItsDelay_hasRunAndExpired() {
        Timeout timeout = rig.after(2_000);
        rig.tickTo(3_000);
        assertEquals(List.of(2_000L), rig.ran);
        assertTrue(timeout.isExpired());
    }

    @Test
    @DisplayName("testStopTimer: all have run")
    void stop_allHaveRun_returnsNone() {
        for (int i = 0; i < 3; i++) {
            rig.after(1);
        }
        rig.advance(100);
        assertEquals(3, rig.ran.size());
        assertEquals(Set.of(), rig.timer.stop());
    }

    @Test
    @DisplayName("testStopTimer: none has run; testStopTimerCancelsPendingTasks")
    void stop_noneHasRun_returnsAllAndTheyAreCancelled() {
        List<Timeout> made = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            made.add(rig.after(5_000));
        }
        rig.tickTo(1_000);
        Set<Timeout> left = rig.timer.stop();
        assertEquals(Set.copyOf(made), left);
        for (Timeout timeout : left) {
            assertTrue(timeout.isCancelled());
            assertFalse(timeout.cancel());
        }
    }

    @Test
    @DisplayName("testTimerShouldThrowExceptionAfterShutdownForNewTimeouts")
    void newTimeout_afterStop_isRefused() {
        for (int i = 0; i < 3; i++) {
            rig.after(1);
        }
        rig.advance(100);
        rig.timer.stop();
        assertThrows(IllegalStateException.class, () -> rig.after(1));
    }

    @Test
    @DisplayName("testTimerOverflowWheelLength")
    void newTimeout_byItsOwnTaskForMoreThanATurn_runsAgainAndAgain() {
        use(new WheelTimerRig(0, 100, 32, WheelTimerRig.NO_LIMIT, Runnable::run));
        TimerTask[] again = new TimerTask[1];
        again[0] = timeout -> {
            rig.ran.add(rig.nowMillis());
            rig.after(1_000, again[0]);
        };
        rig.after(1_000, again[0]);
        rig.tickTo(10_500);
        assertEquals(10, rig.ran.size());
        assertEquals(1, rig.timer.stop().size());
    }

    @Test
    @DisplayName("testExecutionOnTime")
    void newTimeout_aHundredThousand_noneEarlyNoneLaterThanATick() {
        use(new WheelTimerRig(0, 200, 512, WheelTimerRig.NO_LIMIT, Runnable::run));
        for (int i = 0; i < 100_000; i++) {
            rig.after(125);
        }
        rig.advance(124);
        assertEquals(List.of(), rig.ran);
        rig.advance(200);
        assertEquals(100_000, rig.ran.size());
        assertEquals(Set.of(200L), Set.copyOf(rig.ran));
    }

    @Test
    @DisplayName("testExecutionOnTaskExecutor")
    void expire_taskExecutor_runsTheTask() {
        ArrayDeque<Runnable> queue = new ArrayDeque<>();
        use(new WheelTimerRig(0, 100, 32, 2, queue::add));
        Timeout timeout = rig.after(10);
        rig.advance(100);
        assertEquals(List.of(), rig.ran);
        assertTrue(timeout.isExpired(), "from the hand-over on");
        queue.remove().run();
        assertEquals(List.of(100L), rig.ran);
    }

    @Test
    @DisplayName("testRejectedExecutionExceptionWhenTooManyTimeoutsAreAddedBackToBack")
    void newTimeout_limitReached_isRejectedWithTheNumbers() {
        use(WheelTimerRig.limited(2));
        rig.after(5_000);
        rig.after(5_000);
        var rejection = assertThrows(RejectedExecutionException.class, () -> rig.after(1));
        assertEquals("timer.maxPendingTimeouts = 2: 2 are pending", rejection.getMessage());
        assertEquals(2, rig.timer.pendingTimeouts());
    }

    @Test
    @DisplayName("testNewTimeoutShouldStopThrowingRejectedExecutionExceptionWhenExistingTimeoutIsCancelled")
    void newTimeout_roomMadeByCancel_isTakenAtOnce() {
        use(WheelTimerRig.limited(2));
        rig.after(5_000);
        assertTrue(rig.after(5_000).cancel());
        rig.after(90);
        rig.advance(100);
        assertEquals(List.of(100L), rig.ran);
    }

    @Test
    @DisplayName("testNewTimeoutShouldStopThrowingRejectedExecutionExceptionWhenExistingTimeoutIsExecuted")
    void newTimeout_roomMadeByExpiry_isTaken() {
        use(new WheelTimerRig(0, 25, 4, 2, Runnable::run));
        rig.after(5_000);
        rig.after(90);
        rig.tickTo(100);
        rig.after(90);
        rig.tickTo(200);
        assertEquals(List.of(100L, 200L), rig.ran);
    }

    @Test
    @DisplayName("reportPendingTimeouts")
    void pendingTimeouts_cancelAndExpiry_countDown() {
        Timeout first = rig.timer.newTimeout(rig.task(), 100, TimeUnit.MINUTES);
        Timeout second = rig.timer.newTimeout(rig.task(), 100, TimeUnit.MINUTES);
        rig.after(90);
        assertEquals(3, rig.timer.pendingTimeouts());
        first.cancel();
        second.cancel();
        assertEquals(1, rig.timer.pendingTimeouts());
        rig.advance(100);
        assertEquals(0, rig.timer.pendingTimeouts());
    }

    @Test
    @DisplayName("testOverflow")
    void newTimeout_delayThatOverflows_doesNotRun() {
        for (long start : new long[] {0, -1, Long.MAX_VALUE - 5, Long.MIN_VALUE}) {
            use(new WheelTimerRig(start, 100, 512, WheelTimerRig.NO_LIMIT, Runnable::run));
            Timeout timeout = rig.after(Long.MAX_VALUE);
            rig.advance(TimeUnit.DAYS.toMillis(70 * 365));
            assertEquals(List.of(), rig.ran);
            assertTrue(timeout.cancel());
            assertTrue(rig.isEmpty());
        }
    }

    @Test
    @DisplayName("cancelWillCallCallback")
    void cancel_pending_tellsTheTask() {
        Timeout timeout = rig.after(90);
        assertEquals(1, rig.timer.pendingTimeouts());
        timeout.cancel();
        assertEquals(List.of(timeout), rig.cancelled);
        rig.advance(200);
        assertEquals(List.of(), rig.ran);
    }

    @Test
    @DisplayName("testPendingTimeoutsShouldBeCountedCorrectlyWhenTimeoutCancelledWithinGoalTick")
    void cancel_byATaskOfTheSameTick_isCountedOnce() {
        List<Timeout> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(rig.after(200));
        }
        rig.after(200, timeout -> others.forEach(Timeout::cancel));
        for (int i = 0; i < 5; i++) {
            others.add(rig.after(200));
        }
        rig.tickTo(300);
        assertEquals(0, rig.timer.pendingTimeouts());
        assertEquals(10, rig.ran.size() + rig.cancelled.size());
        assertTrue(rig.isEmpty());
    }
}
