package io.heartwheel.loadgen.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.measure.Latencies.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A fleet of a thousand, looked at once a second. */
final class RecoveriesTest {

    private static final Result.Mark AT_TWO = new Result.Mark(2, "restart");

    private static List<Sample> series(long... connected) {
        List<Sample> series = new ArrayList<>();
        for (int i = 0; i < connected.length; i++) {
            long gained = i == 0 ? 0 : Math.max(0, connected[i] - connected[i - 1]);
            series.add(new Sample(
                    i,
                    connected[i],
                    gained,
                    10,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    Summary.NOTHING,
                    Summary.NOTHING,
                    Summary.NOTHING,
                    0,
                    0));
        }
        return series;
    }

    @Test
    void of_allComeBack_tellsWhenEachShareWasThere() {
        Recovery recovery = Recoveries.of(
                        series(1_000, 1_000, 1_000, 400, 200, 600, 950, 992, 1_000, 1_000), List.of(AT_TWO))
                .get(0);
        assertEquals("restart", recovery.step());
        assertEquals(1_000, recovery.connectedBefore());
        assertEquals(200, recovery.connectedLeast());
        assertEquals(Map.of(50, 3.0, 95, 5.0, 99, 5.0, 100, 6.0), recovery.secondsTo());
        assertEquals(400, recovery.peakOpensPerSecond());
        assertEquals(70, recovery.failedAttempts());
    }

    @Test
    void of_someStayAway_leavesOutWhatWasNeverReached() {
        Recovery recovery = Recoveries.of(series(1_000, 1_000, 1_000, 0, 500, 940, 955, 955), List.of(AT_TWO))
                .get(0);
        assertEquals(Map.of(50, 2.0, 95, 4.0), recovery.secondsTo());
    }

    @Test
    void of_nobodyLost_isBackAtOnce() {
        Recovery recovery = Recoveries.of(series(1_000, 1_000, 1_000, 1_000), List.of(AT_TWO))
                .get(0);
        assertEquals(1_000, recovery.connectedLeast());
        assertEquals(Map.of(50, 1.0, 95, 1.0, 99, 1.0, 100, 1.0), recovery.secondsTo());
    }

    @Test
    void of_twoBlows_eachHasItsOwnStretch() {
        List<Recovery> recoveries = Recoveries.of(
                series(1_000, 1_000, 1_000, 0, 1_000, 1_000, 500, 700), List.of(AT_TWO, new Result.Mark(5, "cut")));
        assertEquals(2.0, recoveries.get(0).secondsTo().get(100));
        assertEquals(1_000, recoveries.get(1).connectedBefore());
        assertEquals(500, recoveries.get(1).connectedLeast());
        assertEquals(Map.of(), recoveries.get(1).secondsTo());
    }

    @Test
    void of_nothingSeenAfter_isNoRecovery() {
        assertEquals(
                Map.of(),
                Recoveries.of(series(1_000, 1_000), List.of(AT_TWO)).get(0).secondsTo());
        assertEquals(List.of(), Recoveries.of(series(1_000), List.of()));
    }

    @Test
    void mostPerSecond_looksOnceASecond_isTheBestSecondAfterTheStep() {
        List<Sample> series = series(0, 900, 1_000, 400, 200, 600, 950, 992, 1_000, 1_000);
        assertEquals(400, Recoveries.mostPerSecond(series, 2));
        assertEquals(8, Recoveries.mostPerSecond(series, 6));
        assertEquals(0, Recoveries.mostPerSecond(series, 99));
    }

    /** Four looks a second, the best of them with 100 in a quarter: no second has 400 in it. */
    @Test
    void mostPerSecond_looksMoreOften_isNotTheBestLook() {
        List<Sample> series = new ArrayList<>();
        int[] opened = {0, 0, 100, 10, 20, 0, 0, 0, 90};
        for (int i = 0; i < opened.length; i++) {
            series.add(new Sample(
                    i * 0.25,
                    0,
                    opened[i] * 4.0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    Summary.NOTHING,
                    Summary.NOTHING,
                    Summary.NOTHING,
                    0,
                    0));
        }
        assertEquals(130, Recoveries.mostPerSecond(series, -1));
    }
}
