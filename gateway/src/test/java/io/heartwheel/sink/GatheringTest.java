package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GatheringTest {
    private static final int BURST = Gathering.BURST;

    private final Gathering gathering = new Gathering(Long.MAX_VALUE);

    @Test
    void begins_fewerThanABurstInAStep_areWrittenAtOnce() {
        long nowNanos = Long.MAX_VALUE;
        for (int step = 0; step < 100; step++) {
            assertFalse(gathering.begins(nowNanos, BURST / 2));
            assertFalse(gathering.begins(nowNanos + Gathering.STEP_NANOS - 1, BURST / 2 - 1));
            nowNanos += Gathering.STEP_NANOS;
        }
    }

    @Test
    void begins_burstInAStep_waitsForAnother() {
        assertFalse(gathering.begins(Long.MAX_VALUE, BURST - 1));
        assertTrue(gathering.begins(Long.MAX_VALUE + Gathering.STEP_NANOS - 1, 1));
    }

    @Test
    void goesOn_fewCameInTheStep_ends() {
        gathering.begins(Long.MAX_VALUE, 10);
        assertFalse(gathering.goesOn(10 + BURST - 1));
    }

    @Test
    void goesOn_burst_lastsAsLongAsItGoesOn() {
        gathering.begins(Long.MAX_VALUE, 10);
        assertTrue(gathering.goesOn(10 + BURST));
        assertFalse(gathering.goesOn(10 + BURST));
    }

    @Test
    void goesOn_burstWithoutEnd_endsAfterHalfASecond() {
        gathering.begins(Long.MAX_VALUE, 0);
        int steps = 1;
        while (gathering.goesOn(steps * BURST)) {
            steps++;
        }
        assertEquals(500_000_000L, steps * Gathering.STEP_NANOS);
    }
}
