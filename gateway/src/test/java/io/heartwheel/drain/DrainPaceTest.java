package io.heartwheel.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.session.GoAway;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DrainPaceTest {
    private static final long SECOND = 1_000_000_000L;
    /** A clock may start anywhere and cross zero. */
    private static final long START = -SECOND / 2;

    @Test
    void due_askedOften_isTheRate() {
        DrainPace pace = new DrainPace(Plans.plan(10_000, 300, 20, 3_000, 0), START);
        long told = 0;
        for (long at = 0; at <= 4 * SECOND; at += 7_000_000) {
            told += pace.due(START + at);
        }
        assertEquals(1_200, told, 3);
    }

    @Test
    void due_afterAStall_doesNotMakeUpForIt() {
        DrainPace pace = new DrainPace(Plans.plan(10_000, 300, 20, 3_000, 0), START);

        assertEquals(31, pace.due(START + 9 * SECOND));
        assertEquals(0, pace.due(START + 9 * SECOND));
    }

    @Test
    void due_slowRate_comesOneByOne() {
        DrainPace pace = new DrainPace(Plans.plan(1, 1, 3_600, 10, 0), START);

        assertEquals(0, pace.due(START + SECOND / 2));
        assertEquals(1, pace.due(START + SECOND + 1));
        assertEquals(0, pace.due(START + SECOND + SECOND / 2));
    }

    @Test
    void notUsed_comesBack() {
        DrainPace pace = new DrainPace(Plans.plan(10_000, 300, 20, 3_000, 0), START);
        int due = pace.due(START + SECOND / 20);
        pace.notUsed(due - 2);

        assertEquals(due - 2, pace.due(START + SECOND / 20));
    }

    @Test
    void window_toldNoFasterThanAdmitted_isAsShortAsWindowsGet() {
        DrainPace pace = new DrainPace(Plans.plan(10_000, 500, 10, 3_000, 0), START);

        assertEquals(new GoAway(1_000, 2_000, ""), pace.window(START, 10));
        assertEquals(new GoAway(1_000, 2_000, ""), pace.window(START + SECOND / 50, 10));
    }

    @Test
    void window_toldFaster_liesBehindTheOneBefore() {
        DrainPace pace = new DrainPace(Plans.plan(10_000, 500, 5, 6_000, 0), START);

        assertEquals(new GoAway(1_000, 5_000, ""), pace.window(START, 2_000));
        assertEquals(new GoAway(4_000, 8_000, ""), pace.window(START + SECOND, 2_000));
    }

    @Test
    void window_anyPlan_staysWithinRetryMinAndMax() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            long min = random.nextInt(5_000);
            long max = min + random.nextInt(random.nextBoolean() ? 3 : 20_000);
            int devices = 1 + random.nextInt(100_000);
            DrainPlan plan = DrainPlan.of(
                    Plans.settings(min, max),
                    Plans.order(1 + random.nextInt(10_000), 1 + random.nextInt(5_000), random.nextInt(60)),
                    devices,
                    random.nextInt(devices));
            DrainPace pace = new DrainPace(plan, START);
            for (long at = 0; at < 60 * SECOND; at += SECOND / 3) {
                GoAway window = pace.window(START + at, 1 + random.nextInt(1_000));
                String told = "seed " + seed + ", " + window + " of " + plan;
                assertTrue(window.retryMinMillis() >= min && window.retryMaxMillis() <= max, () -> told);
            }
        }
    }
}
