package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RampTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void dueBy_atWholeSeconds_isTheRate() {
        Ramp ramp = new Ramp(10_000, 2_000);
        assertEquals(0, ramp.dueBy(-1));
        assertEquals(1, ramp.dueBy(0));
        assertEquals(2_001, ramp.dueBy(SECOND));
        assertEquals(10_000, ramp.dueBy(5 * SECOND));
        assertEquals(10_000, ramp.dueBy(Long.MAX_VALUE));
    }

    @Test
    void dueNanos_everyIndex_agreesWithDueBy() {
        for (double rate : new double[] {0.3, 1, 7, 333.3, 1e6}) {
            Ramp ramp = new Ramp(1_000, rate);
            for (int i = 0; i < 1_000; i++) {
                long due = ramp.dueNanos(i);
                assertTrue(ramp.dueBy(due) >= i + 1, "rate " + rate + " index " + i);
                assertTrue(i == 0 || ramp.dueBy(due - 2) <= i, "rate " + rate + " index " + i);
            }
        }
    }

    @Test
    void ramp_noRate_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Ramp(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Ramp(1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Ramp(-1, 1));
    }
}
