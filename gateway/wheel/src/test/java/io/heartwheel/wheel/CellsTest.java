package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CellsTest {

    private static WheelEntry newEntry() {
        return new WheelEntry.For(new Probe(0));
    }

    @Test
    void take_beyondAChunk_growsAndKeepsWhatWasThere() {
        Cells cells = new Cells(10_000);
        WheelEntry[] entries = new WheelEntry[10_000];
        for (int i = 0; i < 10_000; i++) {
            entries[i] = newEntry();
            assertEquals(i, cells.take(entries[i]));
        }
        assertEquals(Cells.NONE, cells.take(newEntry()));
        for (int i = 0; i < 10_000; i++) {
            assertSame(entries[i], cells.entry(i));
            assertEquals(i, entries[i].handle());
        }
        assertEquals(10_000, cells.used());
    }

    @Test
    void take_cellsFreedAtRandom_givesEachOfThemOnce() {
        Cells cells = new Cells(20_000);
        SplittableRandom random = new SplittableRandom(7);
        BitSet taken = new BitSet();
        for (int i = 0; i < 20_000; i++) {
            taken.set(cells.take(newEntry()));
        }
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 3_000; i++) {
                int cell = random.nextInt(20_000);
                WheelEntry entry = cells.entry(cell);
                if (entry != null) {
                    cells.free(entry);
                    taken.clear(cell);
                }
            }
            cells.giveBackFreed();
            for (int left = random.nextInt(3_000); left > 0 && cells.used() < 20_000; left--) {
                int cell = cells.take(newEntry());
                assertEquals(false, taken.get(cell), "given out twice: " + cell);
                taken.set(cell);
            }
            assertEquals(taken.cardinality(), cells.used());
        }
    }

    @Test
    void take_noRoomOrRegisteredAlready_leavesTheEntryAsItWas() {
        Cells cells = new Cells(1);
        WheelEntry entry = newEntry();
        cells.take(entry);
        assertThrows(IllegalStateException.class, () -> cells.take(entry));
        WheelEntry late = newEntry();
        assertEquals(Cells.NONE, cells.take(late));
        entry.exchangeWanted(WheelEntry.RELEASED);
        assertThrows(IllegalStateException.class, () -> cells.take(entry));
        cells.free(entry);
        assertEquals(1, cells.giveBackFreed());
        assertNull(cells.entry(0));
        assertEquals(0, cells.take(late));
        assertEquals(WheelEntry.NO_DEADLINE, late.wanted());
        assertSame(late, cells.entry(0));
    }

    @Test
    void use_handleNeverGivenOut_isRefused() {
        Cells cells = new Cells(5_000);
        cells.take(newEntry());
        for (int handle : new int[] {-1, Integer.MIN_VALUE, 4_096, 5_000, Integer.MAX_VALUE}) {
            String message = assertThrows(IllegalArgumentException.class, () -> cells.entry(handle))
                    .getMessage();
            assertEquals("handle = " + handle + ": need one that register gave out", message);
        }
    }
}
