package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Examples, and what {@link WheelModel} leaves out: work that is saved, an owner that acts in between, misuse. Time starts at 0. */
class TimingWheelTest {

    private static final long TICK = 10;
    private static final int ALL = Integer.MAX_VALUE;

    private final TimingWheel wheel = new TimingWheel(TICK, 8, 1_000, 0);

    @AfterEach
    void wheelIsWhole() {
        WheelInspector.check(wheel);
    }

    @Test
    void arm_later_leavesTheRingAloneUntilTheOldPlaceIsMet() {
        Probe probe = new Probe(100);
        int handle = wheel.register(probe);
        wheel.arm(handle, 100);
        wheel.advance(0, ALL);
        probe.deadlineNanos = 200;
        wheel.arm(handle, 200);
        assertFalse(wheel.dirty().pending());
        assertEquals(0, wheel.advance(190, ALL));
        assertEquals(1, wheel.advance(200, ALL));
    }

    @Test
    void arm_noDeadline_disarms() {
        Probe probe = new Probe(50);
        int handle = wheel.register(probe);
        wheel.arm(handle, 50);
        wheel.arm(handle, Deadline.NO_DEADLINE);
        assertFalse(wheel.isArmed(handle));
        assertEquals(0, wheel.advance(100, ALL));
    }

    @Test
    void arm_thenDisarmBetweenAdvances_neverTouchesTheRing() {
        Probe probe = new Probe(50);
        int handle = wheel.register(probe);
        wheel.advance(0, ALL);
        wheel.arm(handle, 50);
        assertTrue(wheel.isArmed(handle));
        assertTrue(wheel.disarm(handle));
        wheel.advance(10, ALL);
        assertEquals(0, wheel.counters().filed());
        assertEquals(0, wheel.advance(1_000, ALL));
        assertEquals(0, probe.asked);
    }

    @Test
    void disarm_answeredNoDeadline_answersThatNothingWasPreventedAndArmBringsItBack() {
        Probe probe = new Probe(Deadline.NO_DEADLINE);
        int handle = wheel.register(probe);
        wheel.arm(handle, 50);
        wheel.advance(100, ALL);
        assertFalse(wheel.disarm(handle));
        assertEquals(0, probe.expired);
        probe.deadlineNanos = 150;
        wheel.arm(handle, 150);
        assertEquals(1, wheel.advance(200, ALL));
    }

    // --- the owner acts between the question and what the wheel makes of the answer ---

    /** An entry whose owner acts right after it has answered what was true before. */
    private static Probe interrupted(Probe probe, Runnable owner) {
        probe.answered = () -> {
            probe.answered = null;
            owner.run();
        };
        return probe;
    }

    @Test
    void arm_equalWhileTheWheelActsOnALaterAnswer_expiresInTime() {
        Probe probe = Probe.armed(wheel, 10);
        probe.deadlineNanos = 100_000;
        interrupted(probe, () -> {
            probe.deadlineNanos = 10;
            wheel.arm(0, 10);
        });
        assertEquals(1, wheel.advance(100, ALL));
        assertEquals(1, probe.expired);
        assertEquals(0, wheel.advance(200_000, ALL));
    }

    @Test
    void arm_equalWhileTheWheelActsOnAnAnswerOfNone_expiresInTime() {
        Probe probe = Probe.armed(wheel, 10);
        probe.deadlineNanos = Deadline.NO_DEADLINE;
        interrupted(probe, () -> {
            probe.deadlineNanos = 10;
            assertTrue(wheel.isArmed(0));
            assertTrue(wheel.disarm(0));
            wheel.arm(0, 10);
        });
        assertEquals(1, wheel.advance(100, ALL));
        assertEquals(1, probe.expired);
    }

    @Test
    void arm_equalButAnswerMovedLaterWhileTheWheelIsToExpire_isNotEarly() {
        Probe probe = Probe.armed(wheel, 10);
        interrupted(probe, () -> {
            assertTrue(wheel.disarm(0));
            probe.deadlineNanos = 1_000;
            wheel.arm(0, 10);
        });
        assertEquals(0, wheel.advance(100, ALL));
        assertEquals(0, wheel.advance(999, ALL));
        assertEquals(1, wheel.advance(1_000, ALL));
    }

    @Test
    void disarmOrRelease_whileTheWheelActsOnADueAnswer_preventsTheExpiry() {
        Probe disarmed = Probe.armed(wheel, 10);
        interrupted(disarmed, () -> assertTrue(wheel.disarm(0)));
        Probe released = Probe.armed(wheel, 10);
        interrupted(released, () -> assertTrue(wheel.release(1)));
        assertEquals(0, wheel.advance(100, ALL));
        wheel.advance(200, ALL);
        assertEquals(0, disarmed.expired + released.expired);
        assertEquals(1, wheel.counters().registered());
    }

    @Test
    void expire_armsItselfForNow_waitsForTheNextAdvance() {
        Probe probe = new Probe(10);
        int handle = wheel.register(probe);
        probe.then = () -> wheel.arm(handle, 10);
        wheel.arm(handle, 10);
        assertEquals(1, wheel.advance(10, ALL));
        assertEquals(1, wheel.advance(10, ALL));
        assertEquals(2, probe.expired);
    }

    @Test
    void advance_fromWithinExpire_isRefusedAndCounted() {
        Probe probe = Probe.armed(wheel, 10);
        probe.then = () -> wheel.advance(20, ALL);
        assertEquals(1, wheel.advance(10, ALL));
        assertEquals(1, wheel.counters().failed());
        assertEquals(0, wheel.advance(20, ALL));
    }

    @Test
    void advance_budgetBelowOne_isRefused() {
        assertEquals(
                "budget = 0: need 1..2147483647",
                assertThrows(IllegalArgumentException.class, () -> wheel.advance(0, 0))
                        .getMessage());
    }

    @Test
    void countArmed_mixedEntries_countsThoseWithADeadline() {
        int armed = wheel.register(new Probe(50));
        int disarmed = wheel.register(new Probe(50));
        wheel.register(new Probe(50));
        Probe.armed(wheel, 10);
        wheel.arm(armed, 50);
        wheel.arm(disarmed, 50);
        wheel.disarm(disarmed);
        assertEquals(2, wheel.countArmed());
        wheel.advance(10, ALL);
        assertEquals(1, wheel.countArmed());
        assertEquals(4, wheel.counters().registered());
    }

    @Test
    void forEach_registered_callsWithEach() {
        Probe armed = Probe.armed(wheel, 10);
        Probe idle = new Probe(20);
        wheel.register(idle);
        List<Timed> seen = new ArrayList<>();
        wheel.forEach(seen::add);
        assertEquals(List.of(armed, idle), seen);
    }

    @Test
    void create_outOfRange_namesValueAndRange() {
        assertRefused("tickNanos = 0: need 1..3600000000000", 0, 8, 1);
        assertRefused("tickNanos = 3600000000001: need 1..3600000000000", 3_600_000_000_001L, 8, 1);
        assertRefused("buckets = 2: need 4..1048576", 1, 2, 1);
        assertRefused("buckets = 12: need a power of two", 1, 12, 1);
        assertRefused("maxEntries = 0: need 1..268435456", 1, 8, 0);
    }

    private static void assertRefused(String message, long tickNanos, int buckets, int maxEntries) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new TimingWheel(tickNanos, buckets, maxEntries, 0))
                        .getMessage());
    }
}
