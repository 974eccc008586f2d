package io.heartwheel.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.drain.DrainPlan.Limit;
import io.heartwheel.session.GoAway;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrainPlanTest {
    private static final double SECOND = 1e9;

    @Test
    void of_timeEnough_tellsAsFastAsIsAdmitted() {
        DrainPlan plan = Plans.plan(10_000, 500, 10, 3_000, 0);

        assertEquals(500, plan.tellPerSecond());
        assertEquals(6 * SECOND, plan.tellNanos(), 1);
        assertEquals(0, plan.untold());
        assertEquals(500, plan.peakPerSecond(), 0.01);
        assertEquals(8 * SECOND, plan.lastBackNanos(), 1);
        assertEquals(3_000 / 7.0, plan.meanPerSecond(), 0.01);
        assertEquals(Set.of(), plan.limits());
        assertTrue(plan.isWithinAdmission());
        assertEquals(
                "3,000 devices: sent away at 500/s in 6.0 s, the last closed after 10.0 s at the latest;"
                        + " all back after 8.0 s, at most 500/s, 429/s on average, within the 500/s admitted",
                DrainText.of(plan));
    }

    @Test
    void of_shortDeadline_windowsHoldThemBack() {
        DrainPlan plan = Plans.plan(10_000, 500, 5, 6_000, 0);

        assertEquals(2_000, plan.tellPerSecond());
        assertEquals(3 * SECOND, plan.tellNanos(), 1);
        assertEquals(500, plan.peakPerSecond(), 0.01);
        assertEquals(14 * SECOND, plan.lastBackNanos(), 1);
        assertEquals(Set.of(Limit.DEADLINE), plan.limits());
        assertTrue(plan.isWithinAdmission());
    }

    @Test
    void of_windowsTooShort_saysHowMuchMoreAndWhatWouldDo() {
        DrainPlan plan = DrainPlan.of(Plans.settings(1_000, 5_000), Plans.order(10_000, 100, 5), 6_000, 0);

        assertEquals(6_000 / (3 + 5 - 1 - 1.0), plan.peakPerSecond(), 0.01);
        assertEquals(Set.of(Limit.DEADLINE, Limit.RETRY_MAX), plan.limits());
        assertFalse(plan.isWithinAdmission());
        assertEquals(100 * SECOND, plan.enoughDeadlineNanos(), 1);
        assertTrue(
                DrainText.of(plan).endsWith("more than the 100/s admitted; a deadline of 100.0 s would do"),
                DrainText.of(plan));
    }

    @Test
    void of_goawayRateTooLow_tellsTheRestWhenTheyAreClosed() {
        DrainPlan plan = Plans.plan(100, 1_000, 10, 2_000, 0);

        assertEquals(100, plan.tellPerSecond());
        assertEquals(6 * SECOND, plan.tellNanos(), 1);
        assertEquals(1_400, plan.untold());
        assertEquals(Set.of(Limit.GOAWAY_RATE), plan.limits());
        assertTrue(DrainText.of(plan).contains("1,400 of them told only when they are closed"), DrainText.of(plan));
    }

    @Test
    void of_plainPeers_countAsBackAtOnce() {
        DrainPlan plan = Plans.plan(10_000, 500, 5, 6_000, 3_000);

        assertEquals(Set.of(Limit.DEADLINE, Limit.PLAIN_PEERS), plan.limits());
        assertEquals(1_000 + 3_000 / (3 + 28.0), plan.peakPerSecond(), 0.01);
        assertFalse(plan.isWithinAdmission());
    }

    @Test
    void of_nobody_takesNoTime() {
        DrainPlan plan = Plans.plan(1, 1, 0, 0, 0);

        assertEquals(0, plan.tellNanos());
        assertEquals(0, plan.peakPerSecond());
        assertEquals(0, plan.lastBackNanos());
        assertEquals(Set.of(), plan.limits());
        assertEquals("no devices: a drain ends at once", DrainText.of(plan));
    }

    @Test
    void of_notice_isToldAndChangesNoSum() {
        DrainPlan plan = DrainPlan.of(Plans.settings(), Plans.order(10_000, 500, 10, 15), 3_000, 0);
        assertEquals(Plans.plan(10_000, 500, 10, 3_000, 0).lastBackNanos(), plan.lastBackNanos());
        String text = DrainText.of(plan);
        assertTrue(text.startsWith("3,000 devices: after a notice of 15.0 s sent away at 500/s in 6.0 s"), text);
    }

    @Test
    void of_noTime_tellsAllWithTheirClose() {
        DrainPlan plan = Plans.plan(10_000, 1_000, 0, 500, 0);

        assertEquals(500, plan.untold());
        assertTrue(plan.peakPerSecond() <= 500);
    }

    @Test
    void of_morePlainThanDevices_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Plans.plan(1, 1, 1, 1, 2));
    }

    /** What the pace gives away is lived by devices that draw at random; no second sees more than the forecast says, nor much less. */
    @ParameterizedTest
    @CsvSource({
        "10000, 500, 10, 1000, 30000, 3000, 0",
        "10000, 500, 5, 1000, 30000, 6000, 0",
        "10000, 100, 5, 1000, 5000, 6000, 0",
        "10000, 100, 5, 5000, 5000, 6000, 0",
        "10000, 500, 5, 1000, 30000, 6000, 3000",
        "10000, 500, 20, 1000, 30000, 6000, 3000",
        "10000, 1000, 10, 0, 1000, 9000, 1000",
        "10000, 20000, 2, 1000, 30000, 9000, 0",
        "7, 7, 1200, 1000, 30000, 5000, 0",
    })
    void peak_ofDevicesThatDrawAtRandom_isAsForecast(
            int goawayRate, int admit, double deadline, long min, long max, int devices, int plain) {
        DrainPlan plan =
                DrainPlan.of(Plans.settings(min, max), Plans.order(goawayRate, admit, deadline), devices, plain);
        long seed = Long.getLong("test.seed", System.nanoTime());
        double[] back = live(plan, new Random(seed));

        double mostInASecond = 0;
        int from = 0;
        for (int i = 0; i < back.length; i++) {
            while (back[i] - back[from] >= 1) {
                from++;
            }
            mostInASecond = Math.max(mostInASecond, i - from + 1);
        }
        double noise = 5 * Math.sqrt(plan.peakPerSecond()) + 3;
        String told = "seed " + seed + ", " + plan;
        assertTrue(mostInASecond <= plan.peakPerSecond() + noise, () -> told);
        assertTrue(mostInASecond >= 0.8 * plan.peakPerSecond() - noise, () -> told);
        assertTrue(back[back.length - 1] <= plan.lastBackNanos() / SECOND + 0.1, () -> told);
    }

    private static double[] live(DrainPlan plan, Random random) {
        DrainPace pace = new DrainPace(plan, 0);
        double[] back = new double[(int) plan.devices()];
        int at = 0;
        double plainShare = (double) plan.plain() / plan.devices();
        for (long nanos = 0; at < back.length; nanos += Drain.TURN_NANOS) {
            int due = Math.min(pace.due(nanos), back.length - at);
            int plain = (int) (plainShare * (at + due)) - (int) (plainShare * at);
            Arrays.fill(back, at, at + plain, nanos / SECOND);
            at += plain;
            GoAway window = pace.window(nanos, due - plain);
            for (int i = plain; i < due; i++) {
                double drawn = window.retryMinMillis()
                        + random.nextDouble() * (window.retryMaxMillis() - window.retryMinMillis());
                back[at++] = nanos / SECOND + drawn / 1e3;
            }
        }
        Arrays.sort(back);
        return back;
    }
}
