package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

final class SpreadTest {

    @Test
    void chosen_anyShare_isExactAndRepeatable() {
        for (double share : new double[] {0, 0.1, 0.333, 1}) {
            BitSet chosen = Spread.chosen(10_000, share, 42);
            assertEquals(Math.round(10_000 * share), chosen.cardinality());
            assertEquals(chosen, Spread.chosen(10_000, share, 42));
        }
        assertNotEquals(Spread.chosen(10_000, 0.1, 1), Spread.chosen(10_000, 0.1, 2));
    }

    @Test
    void kinds_evenWeights_areHalves() {
        byte[] kinds = Spread.kinds(10_000, new double[] {1, 1});
        int first = 0;
        for (int i = 0; i < kinds.length; i++) {
            first += kinds[i] == 0 ? 1 : 0;
            assertTrue(Math.abs(first - (i + 1) / 2.0) <= 1, "at " + i);
        }
        assertEquals(5_000, first);
    }

    @Test
    void kinds_noWeight_getsNone() {
        for (byte kind : Spread.kinds(1_000, new double[] {0, 3, 0})) {
            assertEquals(1, kind);
        }
    }
}
