package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HandOverTest {

    @Test
    void mark_oneCell_isTakenOnceFromItsWord() {
        HandOver handOver = new HandOver(10_000);
        handOver.mark(4_096 + 65);
        assertTrue(handOver.pending());
        assertEquals(0, handOver.takeGroup(0));
        assertEquals(1L << 1, handOver.takeGroup(1));
        assertEquals(1L << 1, handOver.takeWord(1, 1));
        assertEquals(0, handOver.takeWord(1, 1));
        assertFalse(handOver.pending());
    }

    @Test
    void mark_twice_isOneMark() {
        HandOver handOver = new HandOver(64);
        handOver.mark(63);
        handOver.mark(63);
        assertEquals(1, handOver.takeGroup(0));
        assertEquals(Long.MIN_VALUE, handOver.takeWord(0, 0));
        assertEquals(0, handOver.takeGroup(0));
    }

    @Test
    void mark_betweenTakeOfGroupAndWord_isTakenAndLeavesAGroupBitOverNothing() {
        HandOver handOver = new HandOver(64);
        handOver.mark(1);
        handOver.takeGroup(0);
        handOver.mark(2);
        assertEquals(0b110, handOver.takeWord(0, 0));
        assertTrue(handOver.pending());
        assertEquals(1, handOver.takeGroup(0));
        assertEquals(0, handOver.takeWord(0, 0));
        assertFalse(handOver.pending());
    }

    @Test
    void putBack_wordsNotTaken_arePendingAgain() {
        HandOver handOver = new HandOver(4_096);
        handOver.mark(0);
        handOver.mark(4_095);
        long words = handOver.takeGroup(0);
        handOver.takeWord(0, 0);
        handOver.putBack(0, words & ~1L);
        assertTrue(handOver.pending());
        assertEquals(1L << 63, handOver.takeGroup(0));
        assertEquals(1L << 63, handOver.takeWord(0, 63));
    }

    @Test
    void groups_asTheyAreMarked_reachToTheLastOne() {
        HandOver handOver = new HandOver(TimingWheel.MAX_ENTRIES);
        assertEquals(0, handOver.groups());
        assertFalse(handOver.pending());
        handOver.mark(4_096 * 7);
        assertEquals(8, handOver.groups());
        handOver.mark(4_096 * 2);
        assertEquals(8, handOver.groups());
        assertEquals(1, handOver.takeGroup(2));
        assertEquals(1, handOver.takeWord(2, 0));
        assertTrue(handOver.isMarked(4_096 * 7));
        assertFalse(handOver.isMarked(0));
    }
}
