package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class LoopLagProbeTest {
    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;
    /** So that the clock wraps on the way. */
    private static final long START = Long.MAX_VALUE - 3 * SECOND;

    private final LoopStats stats = new LoopStats();
    private long nowNanos = START;
    private final LoopLagProbe probe = new LoopLagProbe(stats, () -> nowNanos, SECOND);

    private void runAt(long afterStartNanos) {
        nowNanos = START + afterStartNanos;
        probe.run();
    }

    @Test
    void run_punctual_noLag() {
        for (int i = 1; i <= 10; i++) {
            runAt(i * SECOND);
            assertEquals(0, stats.lastLagNanos());
        }
        assertEquals(0, stats.maxLagNanos(nowNanos));
    }

    @Test
    void run_late_lagIsTheDelay() {
        runAt(SECOND);
        runAt(2 * SECOND + 300 * MILLI);
        assertEquals(300 * MILLI, stats.lastLagNanos());
        runAt(3 * SECOND + 10 * MILLI);
        assertEquals(10 * MILLI, stats.lastLagNanos());
        assertEquals(300 * MILLI, stats.maxLagNanos(nowNanos));
    }

    @Test
    void run_afterAStall_catchesUpOneByOne() {
        runAt(SECOND);
        nowNanos += 4 * SECOND;
        for (int missed = 3; missed >= 0; missed--) {
            probe.run();
            assertEquals(missed * SECOND, stats.lastLagNanos());
        }
    }

    @Test
    void lag_ofALoopThatIsStuck_growsWhileItIs() {
        runAt(SECOND);
        assertEquals(0, stats.lagNanos(nowNanos + SECOND), "its next run is due just now");
        assertEquals(8 * SECOND, stats.lagNanos(nowNanos + 9 * SECOND));
        assertEquals(8 * SECOND, stats.maxLagNanos(nowNanos + 9 * SECOND));
        assertEquals(0, stats.lastLagNanos(), "it has run nothing since");
        runAt(10 * SECOND);
        assertEquals(8 * SECOND, stats.lagNanos(nowNanos), "and it has seven more to catch up with");
    }

    @Test
    void lag_ofALoopThatNeverRan_countsFromItsFirstProbe() {
        assertEquals(0, stats.lagNanos(nowNanos + SECOND));
        assertEquals(4 * SECOND, stats.lagNanos(nowNanos + 5 * SECOND));
    }

    @Test
    void lag_withoutAProbe_isNone() {
        assertEquals(0, new LoopStats().lagNanos(START));
    }

    @Test
    void run_firstWasLate_nextPunctualOneBecomesTheReference() {
        runAt(SECOND + 400 * MILLI);
        runAt(2 * SECOND);
        assertEquals(0, stats.lastLagNanos());
        runAt(3 * SECOND + 7 * MILLI);
        assertEquals(7 * MILLI, stats.lastLagNanos());
    }

    @Test
    void lastRunNanos_beforeAndAfterTheFirst_isTheLatest() {
        assertEquals(START, probe.lastRunNanos());
        runAt(SECOND);
        assertEquals(START + SECOND, probe.lastRunNanos());
    }

    @Test
    void create_noPeriod_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new LoopLagProbe(stats, () -> 0, 0));
    }
}
