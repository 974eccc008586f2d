package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RecentMaximumTest {
    private long now = Long.MAX_VALUE - 5;
    private final RecentMaximum worst = new RecentMaximum(() -> now, 30);

    @Test
    void worst_nothingNoted_isZero() {
        assertEquals(0, worst.worst());
        now += 1_000;
        assertEquals(0, worst.worst());
    }

    @Test
    void worst_ofThisHalfAndTheOneBefore_isTheGreater() {
        worst.note(7);
        worst.note(5);
        assertEquals(7, worst.worst());
        now += 30;
        assertEquals(7, worst.worst());
        worst.note(6);
        assertEquals(7, worst.worst());
        now += 30;
        assertEquals(6, worst.worst());
        now += 30;
        assertEquals(0, worst.worst());
    }

    @Test
    void note_afterALongRest_forgetsWhatWas() {
        worst.note(7);
        now += 60;
        worst.note(1);
        assertEquals(1, worst.worst());
    }

    @Test
    void note_zeroInANewHalf_isStillANewHalf() {
        worst.note(7);
        now += 30;
        worst.note(0);
        now += 30;
        worst.note(0);
        assertEquals(0, worst.worst());
    }
}
