package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DirtyBitmapTest {

    @Test
    void mark_oneCell_isTakenOnceFromItsWord() {
        DirtyBitmap dirty = new DirtyBitmap(10_000);
        dirty.mark(4_096 + 65);
        assertTrue(dirty.pending());
        assertEquals(0, dirty.takeGroup(0));
        assertEquals(1L << 1, dirty.takeGroup(1));
        assertEquals(1L << 1, dirty.takeWord(1, 1));
        assertEquals(0, dirty.takeWord(1, 1));
        assertFalse(dirty.pending());
    }

    @Test
    void mark_twice_isOneMark() {
        DirtyBitmap dirty = new DirtyBitmap(64);
        dirty.mark(63);
        dirty.mark(63);
        assertEquals(1, dirty.takeGroup(0));
        assertEquals(Long.MIN_VALUE, dirty.takeWord(0, 0));
        assertEquals(0, dirty.takeGroup(0));
    }

    @Test
    void mark_betweenTakeOfGroupAndWord_isTakenAndLeavesAGroupBitOverNothing() {
        DirtyBitmap dirty = new DirtyBitmap(64);
        dirty.mark(1);
        dirty.takeGroup(0);
        dirty.mark(2);
        assertEquals(0b110, dirty.takeWord(0, 0));
        assertTrue(dirty.pending());
        assertEquals(1, dirty.takeGroup(0));
        assertEquals(0, dirty.takeWord(0, 0));
        assertFalse(dirty.pending());
    }

    @Test
    void putBack_wordsNotTaken_arePendingAgain() {
        DirtyBitmap dirty = new DirtyBitmap(4_096);
        dirty.mark(0);
        dirty.mark(4_095);
        long words = dirty.takeGroup(0);
        dirty.takeWord(0, 0);
        dirty.putBack(0, words & ~1L);
        assertTrue(dirty.pending());
        assertEquals(1L << 63, dirty.takeGroup(0));
        assertEquals(1L << 63, dirty.takeWord(0, 63));
    }

    @Test
    void groups_asTheyAreMarked_reachToTheLastOne() {
        DirtyBitmap dirty = new DirtyBitmap(TimingWheel.MAX_ENTRIES);
        assertEquals(0, dirty.groups());
        assertFalse(dirty.pending());
        dirty.mark(4_096 * 7);
        assertEquals(8, dirty.groups());
        dirty.mark(4_096 * 2);
        assertEquals(8, dirty.groups());
        assertEquals(1, dirty.takeGroup(2));
        assertEquals(1, dirty.takeWord(2, 0));
        assertTrue(dirty.isMarked(4_096 * 7));
        assertFalse(dirty.isMarked(0));
    }
}
