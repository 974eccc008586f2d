package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ChanceTest {

    private static final int MANY = 100_000;

    @Test
    void bits_sameArguments_areTheSame() {
        assertEquals(Chance.bits(1, 2, 3), Chance.bits(1, 2, 3));
    }

    @Test
    void bits_neighbours_allDiffer() {
        Set<Long> seen = new HashSet<>();
        for (int seed = 0; seed < 10; seed++) {
            for (int device = 0; device < 100; device++) {
                for (int draw = 0; draw < 100; draw++) {
                    seen.add(Chance.bits(seed, device, draw));
                }
            }
        }
        assertEquals(MANY, seen.size());
    }

    @Test
    void unit_alongDevicesAndAlongDraws_isEvenFromZeroToBelowOne() {
        int[] byDevice = new int[10];
        int[] byDraw = new int[10];
        for (int i = 0; i < MANY; i++) {
            byDevice[(int) (10 * Chance.unit(42, i, 0))]++;
            byDraw[(int) (10 * Chance.unit(42, 0, i))]++;
        }
        for (int tenth = 0; tenth < 10; tenth++) {
            // five standard deviations
            assertEquals(MANY / 10.0, byDevice[tenth], 475);
            assertEquals(MANY / 10.0, byDraw[tenth], 475);
        }
    }

    @Test
    void unit_oneDeviceAndTheNext_areNotCorrelated() {
        double sum = 0;
        for (int i = 0; i < MANY; i++) {
            sum += (Chance.unit(7, i, 3) - 0.5) * (Chance.unit(7, i + 1, 3) - 0.5);
        }
        double correlation = sum / MANY * 12;
        assertTrue(Math.abs(correlation) < 0.02, "correlation " + correlation);
    }
}
