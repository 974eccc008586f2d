package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.wheel.TimingWheel;
import org.junit.jupiter.api.Test;

class WheelPulseTest {
    private static final long SECOND = 1_000_000_000;
    private static final long TICK = 20_000_000;

    private long nowNanos = -3 * SECOND;
    private final TimingWheel wheel = new TimingWheel(TICK, 64, 8, nowNanos);

    @Test
    void beat_wheelTurned_comesOncePerPeriod() {
        long start = nowNanos;
        WheelPulse pulse = new WheelPulse(wheel, () -> nowNanos, SECOND);
        assertEquals(start, pulse.lastBeatNanos());
        for (int i = 0; i < 500; i++) {
            nowNanos += TICK;
            wheel.advance(nowNanos, 10);
        }
        long silence = nowNanos - pulse.lastBeatNanos();
        assertTrue(silence >= 0 && silence <= SECOND + TICK, () -> silence + " ns");
        assertEquals(9, wheel.counters().expired(), 1);
    }

    @Test
    void beat_wheelStuck_staysWhereItWas() {
        WheelPulse pulse = new WheelPulse(wheel, () -> nowNanos, SECOND);
        long before = pulse.lastBeatNanos();
        nowNanos += 10 * SECOND;
        assertEquals(before, pulse.lastBeatNanos());
    }
}
