package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Sleep of a pacing loop. */
final class LoopDriverTest {

    private static final long MILLI = 1_000_000L;

    @Test
    void pause_whileDevicesConnect_isShortHoweverLongTheSlotsAre() {
        assertEquals(50 * MILLI, LoopDriver.pauseNanos(900 * MILLI, true));
        assertEquals(30 * MILLI, LoopDriver.pauseNanos(30 * MILLI, true));
        assertEquals(900 * MILLI, LoopDriver.pauseNanos(900 * MILLI, false));
    }
}
