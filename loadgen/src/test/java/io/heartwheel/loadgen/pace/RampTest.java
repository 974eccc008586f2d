package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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

    private static Ramp curve(int total) {
        return new Ramp(
                total,
                List.of(
                        new Ramp.Point(0, 0),
                        new Ramp.Point(2 * SECOND, 100),
                        new Ramp.Point(3 * SECOND, 100),
                        new Ramp.Point(4 * SECOND, 0),
                        new Ramp.Point(5 * SECOND, 50)));
    }

    @Test
    void dueBy_curve_isTheAreaUnderIt() {
        Ramp ramp = curve(1_000);
        assertEquals(1, ramp.dueBy(0));
        assertEquals(26, ramp.dueBy(SECOND));
        assertEquals(101, ramp.dueBy(2 * SECOND));
        assertEquals(201, ramp.dueBy(3 * SECOND));
        assertEquals(251, ramp.dueBy(4 * SECOND));
        assertEquals(276, ramp.dueBy(5 * SECOND));
        assertEquals(326, ramp.dueBy(6 * SECOND));
    }

    @Test
    void rateAt_curve_goesInStraightLines() {
        Ramp ramp = curve(1_000);
        assertEquals(50, ramp.rateAt(SECOND), 1e-9);
        assertEquals(100, ramp.rateAt(5 * SECOND / 2), 1e-9);
        assertEquals(50, ramp.rateAt(7 * SECOND / 2), 1e-9);
        assertEquals(25, ramp.rateAt(9 * SECOND / 2), 1e-9);
        assertEquals(50, ramp.rateAt(1_000 * SECOND), 1e-9);
    }

    @Test
    void dueNanos_randomCurves_agreeWithDueBy() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            List<Ramp.Point> points = new ArrayList<>();
            long at = 0;
            for (int i = random.nextInt(4); i >= 0; i--) {
                double rate = i == 0 ? random.nextDouble(1, 500) : random.nextInt(3) * random.nextDouble(300);
                points.add(new Ramp.Point(at, rate));
                at += random.nextLong(1, 3 * SECOND);
            }
            Ramp ramp = new Ramp(500, points);
            for (int i = 0; i < 500; i += 1 + random.nextInt(20)) {
                long due = ramp.dueNanos(i);
                String told = points + " index " + i + " due " + due + ", seed " + seed;
                assertTrue(ramp.dueBy(due) >= i + 1, told);
                assertTrue(i == 0 || due < 2 || ramp.dueBy(due - 2) <= i + 1, told);
                assertTrue(due == 0 || ramp.dueBy(due - 1) <= i || ramp.dueNanos(i + 1) == due, told);
            }
            assertEquals(ramp.dueNanos(499), ramp.lengthNanos());
        }
    }

    @Test
    void part_ofACurve_takesAsLongAsTheWhole() {
        Ramp whole = curve(1_000);
        for (long at = 0; at < whole.lengthNanos(); at += SECOND / 7) {
            int parts = whole.part(300).dueBy(at)
                    + whole.part(650).dueBy(at)
                    + whole.part(50).dueBy(at);
            assertEquals(whole.dueBy(at), parts, 3, "at " + at);
        }
        assertEquals(300, whole.part(300).dueBy(whole.lengthNanos()));
    }

    @Test
    void dueNanos_soSlowThatNobodyWillSeeIt_isFarAheadAndNotForEver() {
        assertTrue(new Ramp(50_000_000, 0.001).dueNanos(49_999_999) > 50L * 365 * 86_400 * SECOND);
    }

    @Test
    void ramp_badCurve_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Ramp(1, List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Ramp(1, List.of(new Ramp.Point(1, 1))));
        assertThrows(
                IllegalArgumentException.class, () -> new Ramp(1, List.of(new Ramp.Point(0, 1), new Ramp.Point(0, 2))));
        assertThrows(
                IllegalArgumentException.class, () -> new Ramp(1, List.of(new Ramp.Point(0, 1), new Ramp.Point(5, 0))));
    }
}
