package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.wheel.TimingWheel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WheelPulseTest {
    private static final long SECOND = 1_000_000_000;
    private static final long TICK = 20_000_000;

    private long nowNanos = -3 * SECOND;
    private int told;
    private final TimingWheel wheel = new TimingWheel(TICK, 64, 8, nowNanos);
    private final WheelPulse pulse =
            new WheelPulse(wheel, () -> nowNanos, SECOND, StallSettings.DEFAULTS, () -> told++);

    @BeforeEach
    void begin() {
        pulse.begin();
    }

    /** Turns the wheel when it asks for it. */
    private int turnUntil(long untilNanos) {
        int turns = 0;
        for (; ; turns++) {
            long wakeNanos = Math.max(nowNanos, wheel.nextWakeNanos(nowNanos));
            if (wakeNanos - untilNanos > 0) {
                nowNanos = untilNanos;
                return turns;
            }
            nowNanos = wakeNanos;
            wheel.advance(nowNanos, 10);
        }
    }

    private List<String> standstills(long fromNanos) {
        List<String> found = new ArrayList<>();
        pulse.standstills(fromNanos, nowNanos, (from, to) -> found.add(from + ".." + to));
        return found;
    }

    @Test
    void beat_wheelTurned_comesOncePerPeriodAndWakesItOnce() {
        turnUntil(0);
        int turns = turnUntil(60 * SECOND);
        assertTrue(turns <= 61, () -> turns + " turns in a minute");
        assertTrue(nowNanos - pulse.lastBeatNanos() <= SECOND + TICK);
        assertEquals(0, wheel.counters().expired());
        assertEquals(0, told);
        assertEquals(List.of(), standstills(-3 * SECOND));
    }

    @Test
    void beat_wheelStuck_staysWhereItWas() {
        long before = pulse.lastBeatNanos();
        nowNanos += 10 * SECOND;
        assertEquals(before, pulse.lastBeatNanos());
    }

    @Test
    void beat_late_isAStandstillSinceTheBeatBefore() {
        turnUntil(10 * SECOND);
        long lastNanos = pulse.lastBeatNanos();
        nowNanos = 17 * SECOND;
        List<String> seen = List.of(lastNanos + ".." + 17 * SECOND);
        assertEquals(seen, standstills(0), "seen before the wheel's thread comes to it");
        wheel.advance(nowNanos, 10);
        assertEquals(1, told);
        assertEquals(seen, standstills(0));
        turnUntil(30 * SECOND);
        assertEquals(seen, standstills(0), "once");
        assertEquals(List.of(12 * SECOND + ".." + 17 * SECOND), standstills(12 * SECOND));
        assertEquals(List.of(), standstills(17 * SECOND));
    }

    @Test
    void beat_firstIsLate_isAStandstillSinceItBegan() {
        nowNanos = 4 * SECOND;
        wheel.advance(nowNanos, 10);
        assertEquals(List.of(-3 * SECOND + ".." + 4 * SECOND), standstills(-3 * SECOND));
    }

    @Test
    void beat_lateByLessThanTheThreshold_isNone() {
        turnUntil(10 * SECOND);
        nowNanos = pulse.lastBeatNanos() + SECOND + TICK + 100_000_000;
        wheel.advance(nowNanos, 10);
        assertEquals(0, told);
        assertEquals(List.of(), standstills(0));
    }
}
