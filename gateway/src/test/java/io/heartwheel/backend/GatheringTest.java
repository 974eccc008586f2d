package io.heartwheel.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GatheringTest {
    private final Gathering gathering = new Gathering();

    @Test
    void begins_eventThatComesAlone_isWrittenAtOnce() {
        assertFalse(gathering.begins(Gathering.STEP_NANOS, 1));
        assertFalse(gathering.begins(Long.MAX_VALUE, 1));
    }

    @Test
    void begins_eventRightBehindAnother_waitsForAStep() {
        assertTrue(gathering.begins(0, 1));
        assertTrue(gathering.begins(Gathering.STEP_NANOS - 1, 1));
    }

    @Test
    void goesOn_fewCameInTheStep_ends() {
        gathering.begins(0, 10);
        assertFalse(gathering.goesOn(10 + Gathering.BURST - 1));
    }

    @Test
    void goesOn_burst_lastsAsLongAsItGoesOn() {
        gathering.begins(0, 10);
        assertTrue(gathering.goesOn(10 + Gathering.BURST));
        assertFalse(gathering.goesOn(10 + Gathering.BURST));
    }

    @Test
    void goesOn_burstWithoutEnd_endsAfterHalfASecond() {
        gathering.begins(0, 0);
        int steps = 1;
        while (gathering.goesOn(steps * Gathering.BURST)) {
            steps++;
        }
        assertEquals(500_000_000L, steps * Gathering.STEP_NANOS);
    }
}
