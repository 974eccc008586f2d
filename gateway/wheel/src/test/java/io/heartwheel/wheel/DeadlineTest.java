package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DeadlineTest {

    @Test
    void after_ordinaryDelay_isTheSum() {
        assertEquals(1_500, Deadline.after(1_000, 500));
    }

    @Test
    void after_negativeDelay_isNow() {
        assertEquals(1_000, Deadline.after(1_000, -1));
        assertEquals(1_000, Deadline.after(1_000, Long.MIN_VALUE));
    }

    @Test
    void after_overlongDelay_isCutToTheLongest() {
        assertEquals(1_000 + Deadline.MAX_DELAY_NANOS, Deadline.after(1_000, Long.MAX_VALUE));
    }

    @Test
    void after_sumOnAMark_isMovedLaterByAtMostFourNanos() {
        for (long mark = Long.MIN_VALUE; mark < Deadline.FIRST; mark++) {
            long deadline = Deadline.after(mark - 10, 10);
            assertNotEquals(Deadline.NO_DEADLINE, deadline);
            assertTrue(deadline - mark >= 0 && deadline - mark <= 4, "moved by " + (deadline - mark));
        }
    }

    @Test
    void remaining_acrossTheWrap_isTheDifference() {
        long now = Long.MAX_VALUE - 5;
        assertEquals(15, Deadline.remaining(Deadline.after(now, 15), now));
        assertEquals(-4, Deadline.remaining(Long.MAX_VALUE, Long.MAX_VALUE + 4));
    }

    @Test
    void remaining_ofADelayThatOverflowed_isTheLongest() {
        for (long now : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
            assertEquals(Deadline.MAX_DELAY_NANOS, Deadline.remaining(now + Long.MAX_VALUE, now));
            assertEquals(Deadline.MAX_DELAY_NANOS, Deadline.remaining(now + Long.MAX_VALUE + 1_000, now));
        }
    }

    @Test
    void isDue_atTheDeadline_isTrueAndANanoBeforeFalse() {
        assertTrue(Deadline.isDue(7, 7));
        assertFalse(Deadline.isDue(7, 6));
        assertTrue(Deadline.isDue(Long.MAX_VALUE, Long.MIN_VALUE));
        assertFalse(Deadline.isDue(Long.MIN_VALUE + 3, Long.MAX_VALUE));
    }

    @Test
    void isDue_noDeadline_isFalseAtAnyTime() {
        for (long now : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
            assertFalse(Deadline.isDue(Deadline.NO_DEADLINE, now));
        }
    }
}
