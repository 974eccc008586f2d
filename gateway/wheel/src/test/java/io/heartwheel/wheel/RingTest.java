package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RingTest {

    private Cells cells;
    private Ring ring;
    private final WheelEntry[] taken = new WheelEntry[Ring.MOST_TAKEN];

    @BeforeEach
    void makeRing() {
        cells = new Cells(100);
        ring = new Ring(cells, 8);
    }

    private WheelEntry newEntry() {
        WheelEntry entry = new WheelEntry.For(new Probe(0));
        cells.take(entry);
        return entry;
    }

    private WheelEntry file(long tick) {
        WheelEntry entry = newEntry();
        ring.file(entry, tick);
        return entry;
    }

    private WheelEntry poll() {
        assertEquals(1, ring.take(taken, 1));
        return taken[0];
    }

    private int levelOf(WheelEntry entry) {
        return ring.levelOf(ring.placeOf(entry));
    }

    @Test
    void file_withinATurn_goesToTheLowestLevelAndMeetsAtItsTick() {
        for (long tick = 0; tick < 8; tick++) {
            WheelEntry entry = file(tick);
            assertEquals(0, levelOf(entry));
            assertEquals(tick, ring.meets(ring.placeOf(entry)));
        }
    }

    @Test
    void file_beyondATurn_goesUpAndIsVisitedWhereItsBucketBegins() {
        WheelEntry inLevel1 = file(8);
        WheelEntry lastOfLevel1 = file(31);
        WheelEntry firstOfLevel2 = file(32);
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
                WheelEntry entry = newEntry();
                wide.file(entry, start + Ring.MAX_TICKS);
                long meets = wide.meets(wide.placeOf(entry));
                assertTrue(meets - start > 0 && meets - start <= Ring.MAX_TICKS, buckets + " buckets from " + start);
                assertEquals(meets, wide.nextTick());
                wide.unfile(entry);
                cells.free(entry);
                cells.giveBackFreed();
            }
        }
    }

    @Test
    void nextTick_upperLevelBeforeLower_isTheUpper() {
        ring.moveTo(5);
        WheelEntry above = file(15);
        assertEquals(1, levelOf(above));
        assertEquals(12, ring.nextTick());
        ring.moveTo(11);
        assertEquals(0, levelOf(file(14)));
        assertEquals(12, ring.nextTick());
    }

    @Test
    void moveTo_startOfAnUpperBucket_emptiesTheUpperLevelFirst() {
        WheelEntry above = file(70);
        ring.moveTo(60);
        WheelEntry below = file(64);
        ring.moveTo(64);
        assertEquals(2, ring.emptying());
        assertSame(above, poll());
        ring.file(above, 70);
        assertEquals(0, ring.emptying());
        assertSame(below, poll());
        assertEquals(-1, ring.emptying());
        assertEquals(0, levelOf(above));
        assertEquals(1, ring.filed());
    }

    @Test
    void shareAhead_tickByTick_emptiesTheNextBucketBeforeItsTime() {
        Ring wide = new Ring(cells, 64);
        for (int i = 0; i < 50; i++) {
            wide.file(newEntry(), 64 + i % 32);
        }
        assertEquals(50, wide.level(1).count(2));
        int most = 0;
        for (long tick = 1; tick < 64; tick++) {
            wide.moveTo(tick);
            int share = wide.shareAhead(1, 1);
            assertTrue(tick >= 33 || share == 0, "two buckets off");
            most = Math.max(most, share);
            for (int i = 0; i < share; i++) {
                wide.takeAhead(1, taken, 1);
                WheelEntry entry = taken[0];
                wide.file(entry, 64 + i);
                assertEquals(0, wide.levelOf(wide.placeOf(entry)));
            }
        }
        assertEquals(0, wide.level(1).filed());
        assertEquals(2, most, "50 entries in 31 ticks");
    }

    @Test
    void shareAhead_afterAJump_countsNoMoreThanThisBucket() {
        Ring wide = new Ring(cells, 64);
        for (int i = 0; i < 40; i++) {
            wide.file(newEntry(), 64);
        }
        wide.moveTo(32 + 8);
        assertEquals(11, wide.shareAhead(1, 40), "8 of 31 ticks");
        wide.moveTo(32);
        assertEquals(0, wide.shareAhead(1, 1_000));
    }
}
