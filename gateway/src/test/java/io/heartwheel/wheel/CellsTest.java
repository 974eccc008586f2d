package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CellsTest {

    private static final Timed TIMED = new Probe(0);

    @Test
    void take_beyondAChunk_growsAndKeepsWhatWasThere() {
        Cells cells = new Cells(10_000);
        for (int i = 0; i < 10_000; i++) {
            assertEquals(i, cells.take(TIMED));
            cells.chunk(i).exchangeWanted(i, i);
        }
        assertEquals(Cells.NONE, cells.take(TIMED));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(i, cells.wanted(i));
            assertSame(TIMED, cells.entry(i));
        }
        assertEquals(10_000, cells.used());
    }

    @Test
    void free_thenTake_givesTheLastFreedFirst() {
        Cells cells = new Cells(3);
        cells.take(TIMED);
        cells.take(TIMED);
        cells.take(TIMED);
        cells.free(1);
        cells.free(0);
        assertEquals(3, cells.used());
        assertEquals(2, cells.giveBackFreed());
        assertEquals(0, cells.giveBackFreed());
        assertEquals(1, cells.used());
        assertEquals(0, cells.take(TIMED));
        assertEquals(1, cells.take(TIMED));
        assertEquals(Cells.NONE, cells.take(TIMED));
    }

    @Test
    void take_freedCell_startsWithoutDeadline() {
        Cells cells = new Cells(1);
        cells.take(TIMED);
        cells.chunk(0).exchangeWanted(0, 7);
        cells.dropEntry(0);
        assertNull(cells.entry(0));
        cells.chunk(0).exchangeWanted(0, Cells.RELEASED);
        cells.free(0);
        assertEquals(1, cells.giveBackFreed());
        assertEquals(Cells.FREE, cells.wanted(0));
        cells.take(TIMED);
        assertEquals(Cells.NO_DEADLINE, cells.wanted(0));
        assertSame(TIMED, cells.entry(0));
    }

    @Test
    void use_handleNeverGivenOut_isRefused() {
        Cells cells = new Cells(5_000);
        cells.take(TIMED);
        for (int handle : new int[] {-1, Integer.MIN_VALUE, 4_096, 5_000, Integer.MAX_VALUE}) {
            String message = assertThrows(IllegalArgumentException.class, () -> cells.wanted(handle))
                    .getMessage();
            assertEquals("handle = " + handle + ": need one that register gave out", message);
        }
    }
}
