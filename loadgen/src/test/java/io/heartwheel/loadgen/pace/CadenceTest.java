package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class CadenceTest {

    private static final long STEP = 1_000_000L;

    @Test
    void phase_anyRunOfSenders_coversThePeriodEvenly() {
        Cadence cadence = Cadence.of(1_800 * STEP, STEP);
        int[] perTenth = new int[10];
        for (int i = 5_000; i < 6_000; i++) {
            long phase = cadence.phaseNanos(i);
            assertEquals(0, phase % STEP);
            assertTrue(phase >= 0 && phase < cadence.periodNanos());
            perTenth[(int) (phase * 10 / cadence.periodNanos())]++;
        }
        for (int count : perTenth) {
            assertTrue(count >= 95 && count <= 105, "senders in a tenth of the period: " + count);
        }
    }

    @Test
    void firstAfter_anyTime_isWithinAPeriodAndInPhase() {
        Cadence cadence = Cadence.of(700 * STEP, STEP);
        for (int i = 0; i < 50; i++) {
            for (long now = 0; now < 2_000 * STEP; now += 37 * STEP + 1) {
                long first = cadence.firstAfter(i, now);
                assertTrue(first >= now && first - now <= cadence.periodNanos(), i + " at " + now + ": " + first);
                assertEquals(cadence.phaseNanos(i), first % cadence.periodNanos());
            }
        }
    }

    @Test
    void of_periodBelowAStep_isAStep() {
        assertEquals(STEP, Cadence.of(1, STEP).periodNanos());
        assertThrows(IllegalArgumentException.class, () -> new Cadence(STEP + 1, STEP));
    }
}
