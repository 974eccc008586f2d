package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;

/** Checks that a wheel at rest is whole: blocks, bits, counts, states and the promise that nothing armed can be missed. */
final class WheelInspector {

    private final TimingWheel wheel;
    private final Cells cells;
    private final Ring ring;
    private int blocks;

    private WheelInspector(TimingWheel wheel) {
        this.wheel = wheel;
        this.cells = wheel.cells();
        this.ring = wheel.turner().ring();
    }

    /** Call between operations, on the turning thread, with no owner at work. */
    static void check(TimingWheel wheel) {
        WheelInspector inspector = new WheelInspector(wheel);
        BitSet filed = inspector.checkLevels();
        inspector.checkCells(filed);
    }

    private BitSet checkLevels() {
        BitSet filed = new BitSet();
        for (int l = 0; l < ring.height(); l++) {
            int before = filed.cardinality();
            for (int slot = 0; slot < ring.buckets(); slot++) {
                checkBucket(l, slot, filed);
            }
            assertEquals(filed.cardinality() - before, ring.level(l).filed(), "count of level " + l);
        }
        assertEquals(filed.cardinality(), ring.filed(), "count of the ring");
        assertEquals(blocks, ring.blocks().used(), "blocks in use");
        assertEquals(ring.findNextTick(), ring.nextTick(), "next tick");
        return filed;
    }

    private void checkBucket(int index, int slot, BitSet filed) {
        Level level = ring.level(index);
        int top = level.top(slot);
        assertEquals(top != Blocks.NONE, level.isOccupied(slot), "bit of bucket " + index + "/" + slot);
        int count = 0;
        for (int position = top;
                position != Blocks.NONE;
                position = ring.blocks().below(position)) {
            WheelEntry entry = ring.blocks().entry(position);
            assertNotNull(entry, "a gap in bucket " + index + "/" + slot);
            int cell = entry.handle();
            assertSame(entry, cells.entry(cell), "cell " + cell);
            assertFalse(filed.get(cell), "filed twice: " + cell);
            filed.set(cell);
            assertEquals(position, cells.place(entry), "place of " + cell);
            assertEquals(index, ring.levelOf(position), "level of " + cell);
            assertEquals(slot, ring.slotOf(position), "bucket of " + cell);
            if (ring.meets(position) == ring.cursor()) {
                assertTrue(ring.emptying() >= index, "left behind at the cursor: " + cell);
            }
            count++;
        }
        assertEquals(count, level.count(slot), "count of bucket " + index + "/" + slot);
        blocks += (count + Blocks.CAPACITY - 1) / Blocks.CAPACITY;
    }

    private void checkCells(BitSet filed) {
        int free = 0;
        for (int cell = 0; cell < cells.fresh(); cell++) {
            boolean marked = wheel.dirty().isMarked(cell);
            WheelEntry entry = cells.entry(cell);
            if (entry == null) {
                free++;
                assertFalse(filed.get(cell), "free and filed: " + cell);
                continue;
            }
            long wanted = entry.wanted();
            assertEquals(cell, entry.handle(), "handle of " + cell);
            assertEquals(filed.get(cell), ring.placeOf(entry) != Blocks.NONE, "place of " + cell);
            if (wanted == WheelEntry.RELEASED) {
                assertTrue(marked, "released and never looked at: " + cell);
            } else if (wanted != WheelEntry.NO_DEADLINE && !marked) {
                assertTrue(filed.get(cell), "armed and nowhere: " + cell);
                checkInTime(entry, wanted);
            }
        }
        assertEquals(cells.fresh() - free, cells.used(), "cells in use");
    }

    private void checkInTime(WheelEntry entry, long wanted) {
        long now = wheel.turner().lastNanos();
        long untilMet = wheel.turner().nanosOf(ring.meets(ring.placeOf(entry))) - now;
        long late = untilMet - Deadline.remaining(wanted, now);
        assertTrue(
                late < wheel.tickNanos() || wheel.turner().isBehind(),
                () -> "cell " + entry.handle() + " would be met " + late + " ns late");
    }
}
