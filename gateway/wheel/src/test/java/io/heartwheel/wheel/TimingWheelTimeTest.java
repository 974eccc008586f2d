package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that start anywhere, wrap, jump and go back; delays up to the longest; sleeping long. */
class TimingWheelTimeTest {

    private static final long TICK = 10_000_000;
    private static final long DAY = 86_400_000_000_000L;
    private static final int ALL = Integer.MAX_VALUE;

    /** Turns the wheel as it asks until the probe expires; answers how often it was turned. */
    private static int turnUntilExpired(TimingWheel wheel, Probe probe, long startNanos) {
        int turns = 0;
        long now = startNanos;
        while (probe.expired == 0) {
            long wake = wheel.nextWakeNanos(now);
            now = wake - now > 0 ? wake : now;
            wheel.advance(now, ALL);
            turns++;
            assertTrue(turns < 10_000, "never expired");
        }
        return turns;
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, Long.MIN_VALUE / 2, -1, 0, Long.MAX_VALUE / 2, Long.MAX_VALUE - 1})
    void advance_delaysOfEveryLength_expireInTimeAndAreVisitedOnceALevel(long start) {
        for (int bits = 0; bits <= 62; bits++) {
            TimingWheel wheel = new TimingWheel(TICK, 64, 10, start);
            Probe probe = Probe.armed(wheel, Deadline.after(start, (1L << bits) - 1));
            int turns = turnUntilExpired(wheel, probe, start);
            long late = probe.expiredAtNanos - probe.deadlineNanos;
            assertTrue(late >= 0 && late <= TICK, "late by " + late + " after 2^" + bits);
            assertTrue(probe.asked <= wheel.turner().ring().height(), "asked " + probe.asked + " times");
            assertTrue(turns <= wheel.turner().ring().height() + 1, "turned " + turns + " times");
            WheelInspector.check(wheel);
        }
    }

    @Test
    void arm_delayThatOverflowsTheClock_doesNotExpireForAHundredYears() {
        for (long start : new long[] {Long.MIN_VALUE, -5, 0, 5, Long.MAX_VALUE}) {
            TimingWheel wheel = new TimingWheel(TICK, 8, 10, start);
            Probe probe = Probe.armed(wheel, start + Long.MAX_VALUE);
            Probe further = Probe.armed(wheel, start + Long.MAX_VALUE + 7 * DAY);
            for (long years = 0; years <= 100; years += 10) {
                assertEquals(0, wheel.advance(start + years * 365 * DAY, ALL));
                WheelInspector.check(wheel);
            }
            assertEquals(0, probe.expired + further.expired);
        }
    }

    @Test
    void arm_overflowedDelayReplacedByShort_expiresAtTheShort() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0);
        Probe probe = new Probe(Long.MAX_VALUE);
        int handle = wheel.register(probe);
        wheel.arm(handle, Long.MAX_VALUE);
        wheel.advance(TICK, ALL);
        probe.deadlineNanos = -1;
        wheel.arm(handle, -1);
        assertEquals(1, wheel.advance(TICK, ALL));
    }

    @Test
    void arm_deadlineOnTheWheelsOwnMarks_expiresAtMostFourNanosLater() {
        for (long mark = Long.MIN_VALUE + 1; mark < Deadline.FIRST; mark++) {
            TimingWheel wheel = new TimingWheel(1, 8, 10, mark - 5);
            Probe probe = Probe.armed(wheel, mark);
            assertEquals(0, wheel.advance(mark - 1, ALL));
            assertEquals(1, wheel.advance(Deadline.FIRST, ALL));
            assertEquals(1, probe.expired);
        }
    }

    @Test
    void advance_answerZeroOnANegativeClock_isADeadlineThatLiesAhead() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, -1_000 * TICK);
        Probe probe = new Probe(0);
        wheel.arm(wheel.register(probe), -900 * TICK);
        assertEquals(0, wheel.advance(-TICK, ALL));
        assertEquals(1, wheel.advance(0, ALL));
        assertEquals(1, probe.expired);
    }

    @Test
    void advance_overManyEmptyTicks_jumps() {
        TimingWheel wheel = new TimingWheel(1, 4, 10, 0);
        Probe.armed(wheel, Deadline.MAX_DELAY_NANOS - 1);
        wheel.advance(0, ALL);
        // 2^62 ticks: were they walked one by one, this would not end.
        assertEquals(0, wheel.advance(Deadline.MAX_DELAY_NANOS - 2, ALL));
        assertEquals(1, wheel.advance(Deadline.MAX_DELAY_NANOS - 1, ALL));
    }

    @Test
    void nextWake_filedEntry_isItsTick() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0);
        Probe.armed(wheel, 4 * TICK + 1);
        wheel.advance(TICK / 2, ALL);
        assertEquals(5 * TICK, wheel.nextWakeNanos(TICK / 2));
    }

    @Test
    void nextWake_somethingMarked_isOneTickAfterTheLast() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0);
        wheel.advance(3 * TICK + 1, ALL);
        Probe.armed(wheel, DAY);
        assertEquals(4 * TICK, wheel.nextWakeNanos(3 * TICK + 1));
    }

    @Test
    void arm_beforeTheSleepersWake_wakesItOnce() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0);
        int[] wakes = new int[1];
        wheel.wokenBy(() -> wakes[0]++);
        Probe.armed(wheel, 100 * TICK);
        wheel.advance(0, ALL);
        assertEquals(96 * TICK, wheel.beginSleep(0), "where its bucket on level 2 begins");
        int late = wheel.register(new Probe(200 * TICK));
        wheel.arm(late, 200 * TICK);
        assertEquals(0, wakes[0], "later than the sleep");
        wheel.arm(late, 50 * TICK);
        assertEquals(1, wakes[0], "earlier than the sleep");
        wheel.arm(late, 40 * TICK);
        assertEquals(1, wakes[0], "awake already");
        assertEquals(TICK, wheel.nextWakeNanos(0));
    }

    @Test
    void arm_whileTheWheelWakesNextTickAnyway_wakesNobody() {
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0);
        int[] wakes = new int[1];
        wheel.wokenBy(() -> wakes[0]++);
        Probe.armed(wheel, TICK);
        wheel.advance(0, ALL);
        assertEquals(TICK, wheel.beginSleep(0));
        Probe.armed(wheel, 0);
        assertEquals(0, wakes[0]);
    }
}
