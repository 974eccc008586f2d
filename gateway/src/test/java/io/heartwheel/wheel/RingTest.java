package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RingTest {

    private static final Timed NOBODY = new Probe(0);

    private Cells cells;
    private Ring ring;
    private final int[] taken = new int[Ring.MOST_TAKEN];

    @BeforeEach
    void makeRing() {
        cells = new Cells(100);
        ring = new Ring(cells, 8);
    }

    private int file(long tick) {
        int cell = cells.take(NOBODY);
        ring.file(cell, tick);
        return cell;
    }

    private int poll() {
        assertEquals(1, ring.take(taken, 1));
        return taken[0];
    }

    private int levelOf(int cell) {
        return ring.levelOf(ring.placeOf(cell));
    }

    @Test
    void file_withinATurn_goesToTheLowestLevelAndMeetsAtItsTick() {
        for (long tick = 0; tick < 8; tick++) {
            int cell = file(tick);
            assertEquals(0, levelOf(cell));
            assertEquals(tick, ring.meets(ring.placeOf(cell)));
        }
    }

    @Test
    void file_beyondATurn_goesUpAndMeetsWhereItsStretchBegins() {
        int inLevel1 = file(8);
        int lastOfLevel1 = file(31);
        int firstOfLevel2 = file(32);
        assertEquals(1, levelOf(inLevel1));
        assertEquals(8, ring.meets(ring.placeOf(inLevel1)));
        assertEquals(1, levelOf(lastOfLevel1));
        assertEquals(28, ring.meets(ring.placeOf(lastOfLevel1)));
        assertEquals(2, levelOf(firstOfLevel2));
        assertEquals(32, ring.meets(ring.placeOf(firstOfLevel2)));
        assertEquals(3, ring.height());
    }

    @Test
    void file_furthestTick_isReachedByTheHighestLevel() {
        for (int buckets = 4; buckets <= TimingWheel.MAX_BUCKETS; buckets *= 2) {
            Ring wide = new Ring(cells, buckets);
            for (long start : new long[] {0, 1, buckets - 1, Long.MAX_VALUE - 1, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
                wide.moveTo(start);
                int cell = cells.take(NOBODY);
                wide.file(cell, start + Ring.MAX_TICKS);
                long meets = wide.meets(wide.placeOf(cell));
                assertTrue(meets - start > 0 && meets - start <= Ring.MAX_TICKS, buckets + " buckets from " + start);
                assertEquals(meets, wide.nextTick());
                wide.unfile(cell);
                cells.free(cell);
                cells.giveBackFreed();
            }
        }
    }

    @Test
    void nextTick_emptyRing_isFarAway() {
        assertEquals(Ring.MAX_TICKS, ring.nextTick());
    }

    @Test
    void nextTick_upperLevelBeforeLower_isTheUpper() {
        ring.moveTo(5);
        int above = file(15);
        assertEquals(1, levelOf(above));
        assertEquals(12, ring.nextTick());
        ring.moveTo(11);
        assertEquals(0, levelOf(file(14)));
        assertEquals(12, ring.nextTick());
    }

    @Test
    void moveTo_startOfAStretch_emptiesTheUpperLevelFirst() {
        int above = file(70);
        ring.moveTo(60);
        int below = file(64);
        ring.moveTo(64);
        assertEquals(2, ring.emptying());
        assertEquals(above, poll());
        ring.file(above, 70);
        assertEquals(0, ring.emptying());
        assertEquals(below, poll());
        assertEquals(-1, ring.emptying());
        assertEquals(0, levelOf(above));
        assertEquals(1, ring.filed());
    }

    @Test
    void unfile_fromTheMiddle_keepsTheOthers() {
        int a = file(3);
        int b = file(3);
        int c = file(3);
        ring.unfile(b);
        assertEquals(Cells.NONE, ring.placeOf(b));
        ring.moveTo(3);
        assertEquals(0, ring.emptying());
        assertEquals(c, poll());
        assertEquals(a, poll());
        assertEquals(-1, ring.emptying());
        assertEquals(0, ring.filed());
    }

    @Test
    void shareAhead_tickByTick_emptiesTheNextBucketBeforeItsStretch() {
        Ring wide = new Ring(cells, 64);
        for (int i = 0; i < 50; i++) {
            wide.file(cells.take(NOBODY), 64 + i % 32);
        }
        assertEquals(50, wide.level(1).count(2));
        int most = 0;
        for (long tick = 1; tick < 64; tick++) {
            wide.moveTo(tick);
            int share = wide.shareAhead(1, 1);
            assertTrue(tick >= 33 || share == 0, "two stretches off");
            most = Math.max(most, share);
            for (int i = 0; i < share; i++) {
                wide.takeAhead(1, taken, 1);
                int cell = taken[0];
                wide.file(cell, 64 + i);
                assertEquals(0, wide.levelOf(wide.placeOf(cell)));
            }
        }
        assertEquals(0, wide.level(1).filed());
        assertEquals(2, most, "50 cells in 31 ticks");
    }

    @Test
    void shareAhead_afterAJump_countsNoMoreThanThisStretch() {
        Ring wide = new Ring(cells, 64);
        for (int i = 0; i < 40; i++) {
            wide.file(cells.take(NOBODY), 64);
        }
        wide.moveTo(32 + 8);
        assertEquals(11, wide.shareAhead(1, 40), "8 of 31 ticks");
        wide.moveTo(32);
        assertEquals(0, wide.shareAhead(1, 1_000));
    }
}
