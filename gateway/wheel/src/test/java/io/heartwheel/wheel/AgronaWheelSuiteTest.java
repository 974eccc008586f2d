package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Agrona's own tests of its {@code DeadlineTimerWheel}, run on ours. Read: {@code DeadlineTimerWheelTest} of 2025, at commit b4c2d645d718; each test
 * names the case there. Of its 22 cases one has no counterpart, as our wheel's start cannot be moved: {@code shouldNotAllowResetWhenTimersActive}.
 *
 * <p>One thing is different throughout. Agrona's wheel holds what is due on the edge of a tick until the next edge; ours expires it on the edge.
 */
class AgronaWheelSuiteTest {

    private static final long TICK = 1 << 20;
    private static final int ALL = Integer.MAX_VALUE;

    private TimingWheel wheel = wheel(1_024, 0);
    private long now;

    private static TimingWheel wheel(int buckets, long startNanos) {
        return new TimingWheel(TICK, buckets, 100, startNanos);
    }

    @AfterEach
    void wheelIsWhole() {
        WheelInspector.check(wheel);
    }

    /** Turns the wheel at every edge up to a tick. */
    private void tickTo(long tick) {
        for (; now <= tick * TICK; now += TICK) {
            wheel.advance(now, ALL);
        }
    }

    private Probe armed(long deadlineNanos) {
        return Probe.armed(wheel, deadlineNanos);
    }

    private static void expiredAt(long tick, Probe probe) {
        assertEquals(1, probe.expired);
        assertEquals(tick * TICK, probe.expiredAtNanos);
    }

    // --- making one ---

    @Test
    @DisplayName("shouldExceptionOnNonPowerOfTwoTicksPerWheel")
    void wheel_bucketsNoPowerOfTwo_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> wheel(10, 0));
    }

    @Test
    @DisplayName("shouldExceptionOnNonPowerOfTwoResolution: ours may be any length")
    void wheel_tickNoPowerOfTwo_isKept() {
        TimingWheel odd = new TimingWheel(17, 8, 10, 0);
        Probe probe = Probe.armed(odd, 18);
        odd.advance(0, ALL);
        odd.advance(33, ALL);
        assertEquals(0, probe.expired);
        odd.advance(34, ALL);
        assertEquals(1, probe.expired);
    }

    @Test
    @DisplayName("shouldDefaultConfigure")
    void wheel_made_tellsWhatItWasMadeWith() {
        TimingWheel small = new TimingWheel(16, 8, 10, 7);
        assertEquals(16, small.tickNanos());
        assertEquals(10, small.maxEntries());
        assertEquals(8, small.turner().ring().buckets());
        assertEquals(7, small.turner().lastNanos());
    }

    // --- one deadline ---

    @Test
    @DisplayName("shouldBeAbleToScheduleTimerOnEdgeOfTick")
    void advance_deadlineOnTheEdge_expiresOnTheEdge() {
        Probe probe = armed(5 * TICK);
        tickTo(4);
        assertEquals(0, probe.expired);
        tickTo(6);
        expiredAt(5, probe);
    }

    @Test
    @DisplayName("shouldHandleNonZeroStartTime")
    void advance_startNotZero_expiresOnTime() {
        now = 100 * TICK;
        wheel = wheel(1_024, now);
        Probe probe = armed(105 * TICK);
        tickTo(104);
        assertEquals(0, probe.expired);
        tickTo(106);
        expiredAt(105, probe);
    }

    @Test
    @DisplayName("shouldHandleTimerAtStartTime")
    void advance_deadlineAtTheStart_expiresAtOnce() {
        armed(0);
        assertEquals(1, wheel.advance(0, 1));
        assertEquals(0, wheel.advance(TICK, 1));
    }

    @Test
    @DisplayName("shouldHandleNanoTimeUnitTimers")
    void advance_deadlineANanosecondAfterTheEdge_expiresOnTheNext() {
        Probe probe = armed(5 * TICK + 1);
        tickTo(5);
        assertEquals(0, probe.expired);
        tickTo(7);
        expiredAt(6, probe);
    }

    @Test
    @DisplayName("shouldHandleMultipleRounds")
    void advance_deadlineTurnsAhead_expiresOnTime() {
        wheel = wheel(16, 0);
        Probe probe = armed(63 * TICK);
        tickTo(62);
        assertEquals(0, probe.expired);
        tickTo(70);
        expiredAt(63, probe);
    }

    @Test
    @DisplayName("shouldBeAbleToCancelTimer")
    void disarm_beforeTheDeadline_preventsTheExpiryAndIsTrueOnce() {
        wheel = wheel(256, 0);
        Probe probe = new Probe(63 * TICK);
        int handle = wheel.register(probe);
        wheel.arm(handle, 63 * TICK);
        tickTo(16);
        assertTrue(wheel.disarm(handle));
        assertFalse(wheel.disarm(handle));
        tickTo(128);
        assertEquals(0, probe.expired);
    }

    @Test
    @DisplayName("shouldHandleExpiringTimersInPreviousTicks")
    void advance_firstTimeLongAfterTheDeadline_expiresThen() {
        wheel = wheel(256, 0);
        Probe probe = armed(15 * TICK);
        now = 32 * TICK;
        tickTo(40);
        expiredAt(32, probe);
    }

    @Test
    @DisplayName("shouldScheduleDeadlineInThePast")
    void advance_deadlineInThePast_expiresInTheNext() {
        now = 100 * TICK;
        wheel = wheel(1_024, now);
        Probe probe = armed(now - 3);
        tickTo(101);
        expiredAt(100, probe);
    }

    @Test
    @DisplayName("shouldAdvanceWheelToLaterTime")
    void advance_byManyTicksAtOnce_isAtTheLaterTime() {
        wheel = wheel(8, 0);
        Probe late = armed(100_000 * TICK);
        assertEquals(0, wheel.advance(6 * TICK, ALL));
        assertEquals(6, wheel.turner().ring().cursor());
        assertEquals(0, wheel.advance(99_999 * TICK, ALL));
        assertEquals(1, wheel.advance(100_000 * TICK, ALL));
        expiredAt(100_000, late);
    }

    // --- several ---

    @Test
    @DisplayName("shouldHandleMultipleTimersInDifferentTicks")
    void advance_twoInDifferentTicks_expireEachInItsOwn() {
        wheel = wheel(256, 0);
        twoExpireAt(15, 23);
    }

    @Test
    @DisplayName("shouldHandleMultipleTimersInSameTickSameRound")
    void advance_twoInTheSameTick_expireTogether() {
        wheel = wheel(8, 0);
        twoExpireAt(15, 15);
    }

    @Test
    @DisplayName("shouldHandleMultipleTimersInSameTickDifferentRound")
    void advance_twoInTheSameBucketATurnApart_expireATurnApart() {
        wheel = wheel(8, 0);
        twoExpireAt(15, 23);
    }

    private void twoExpireAt(long firstTick, long secondTick) {
        Probe first = armed(firstTick * TICK);
        Probe second = armed(secondTick * TICK);
        tickTo(30);
        expiredAt(firstTick, first);
        expiredAt(secondTick, second);
    }

    @Test
    @DisplayName("shouldLimitExpiringTimers")
    void advance_budgetOfOne_expiresTheOtherInTheNext() {
        wheel = wheel(8, 0);
        Probe first = armed(15 * TICK);
        Probe second = armed(15 * TICK);
        for (; now < 15 * TICK; now += TICK) {
            assertEquals(0, wheel.advance(now, 1));
        }
        assertEquals(1, wheel.advance(15 * TICK, 1));
        assertEquals(1, first.expired + second.expired);
        assertEquals(1, wheel.advance(16 * TICK, 1));
        assertEquals(0, wheel.advance(17 * TICK, 1));
        assertEquals(31 * TICK, first.expiredAtNanos + second.expiredAtNanos);
    }

    @Test
    @DisplayName("shouldHandleFalseReturnToExpireTimerAgain")
    void expire_armsItselfAgain_expiresAgainAndLeavesTheOther() {
        wheel = wheel(8, 0);
        Probe again = new Probe(15 * TICK);
        int handle = wheel.register(again);
        wheel.arm(handle, 15 * TICK);
        again.then = () -> {
            if (again.expired == 1) {
                wheel.arm(handle, 15 * TICK);
            }
        };
        Probe other = armed(15 * TICK);
        tickTo(20);
        expiredAt(15, other);
        assertEquals(2, again.expired);
        assertEquals(16 * TICK, again.expiredAtNanos);
    }

    @Test
    @DisplayName("shouldCopeWithExceptionFromHandler")
    void expire_throws_isCountedAndTheOtherExpires() {
        wheel = wheel(8, 0);
        Probe first = armed(15 * TICK);
        first.then = () -> {
            throw new IllegalStateException("as planned");
        };
        Probe second = armed(15 * TICK);
        tickTo(20);
        expiredAt(15, first);
        expiredAt(15, second);
        assertEquals(1, wheel.counters().failed());
        assertEquals(0, wheel.countArmed());
    }

    @Test
    @DisplayName("shouldBeAbleToIterateOverTimers")
    void forEach_twoRegistered_callsWithBoth() {
        wheel = wheel(8, 0);
        Probe first = armed(15 * TICK);
        Probe second = armed(22 * TICK);
        List<Timed> seen = new ArrayList<>();
        wheel.forEach(seen::add);
        assertEquals(2, seen.size());
        assertEquals(Set.of(first, second), Set.copyOf(seen));
    }

    @Test
    @DisplayName("shouldClearOutScheduledTimers: ours are released one by one")
    void release_all_leavesNothingArmed() {
        wheel = wheel(8, 0);
        int first = wheel.register(new Probe(15 * TICK));
        int second = wheel.register(new Probe(22 * TICK));
        wheel.arm(first, 15 * TICK);
        wheel.arm(second, 22 * TICK);
        tickTo(1);
        assertTrue(wheel.release(first));
        assertTrue(wheel.release(second));
        assertEquals(0, wheel.countArmed());
        assertFalse(wheel.isArmed(first));
        assertFalse(wheel.isArmed(second));
        tickTo(2);
        assertEquals(0, wheel.counters().registered());
        assertEquals(0, wheel.counters().filed());
    }

    @Test
    @DisplayName("shouldExpandTickAllocation: ours have no allocation by the tick")
    void advance_manyInOneTick_expireTogether() {
        wheel = new TimingWheel(TICK, 8, 10_000, 0);
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            probes.add(armed(TimeUnit.MICROSECONDS.toNanos(1) + i));
        }
        assertEquals(0, wheel.advance(0, ALL));
        assertEquals(10_000, wheel.advance(TICK, ALL));
        probes.forEach(probe -> expiredAt(1, probe));
    }
}
