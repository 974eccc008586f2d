package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback.Kind;
import io.heartwheel.loadgen.pace.Comeback.Window;
import org.junit.jupiter.api.Test;

final class ComebackTest {

    private static final Window WINDOW = new Window(1_000, 3_000);

    private static long delay(Kind kind, int attempt, double unit, Window window) {
        return new Comeback(kind, 100, 1_500).delayNanos(attempt, unit, window, 0);
    }

    @Test
    void naive_always_isAtOnce() {
        assertEquals(0, delay(Kind.NAIVE, 0, 0.9, Window.NONE));
        assertEquals(0, delay(Kind.NAIVE, 9, 0.9, WINDOW));
    }

    @Test
    void fixed_always_isTheBase() {
        assertEquals(100, delay(Kind.FIXED, 0, 0.9, Window.NONE));
        assertEquals(100, delay(Kind.FIXED, 9, 0.1, WINDOW));
    }

    @Test
    void exponential_eachFailure_doublesUpToTheCap() {
        long[] expected = {100, 200, 400, 800, 1_500, 1_500};
        for (int attempt = 0; attempt < expected.length; attempt++) {
            assertEquals(expected[attempt], delay(Kind.EXPONENTIAL, attempt, 0.5, WINDOW));
        }
        assertEquals(1_500, delay(Kind.EXPONENTIAL, Integer.MAX_VALUE, 0.5, Window.NONE));
    }

    @Test
    void fullJitter_anyNumber_isThatShareOfTheExponential() {
        assertEquals(0, delay(Kind.FULL_JITTER, 3, 0, Window.NONE));
        assertEquals(400, delay(Kind.FULL_JITTER, 3, 0.5, Window.NONE));
        assertEquals(750, delay(Kind.FULL_JITTER, 30, 0.5, WINDOW));
    }

    @Test
    void obey_window_isObeyedOnceAndThenItIsFullJitter() {
        assertEquals(1_000, delay(Kind.OBEY, 0, 0, WINDOW));
        assertEquals(2_000, delay(Kind.OBEY, 0, 0.5, WINDOW));
        assertEquals(100, delay(Kind.OBEY, 1, 0.5, WINDOW));
        assertEquals(50, delay(Kind.OBEY, 0, 0.5, Window.NONE));
    }

    @Test
    void obey_window_countsFromWhenItWasGiven() {
        Comeback obey = new Comeback(Kind.OBEY, 100, 1_500);
        assertEquals(1_300, obey.delayNanos(0, 0.5, WINDOW, 700));
        assertEquals(0, obey.delayNanos(0, 0.5, WINDOW, 9_000));
        assertEquals(100, obey.delayNanos(1, 0.5, WINDOW, 9_000));
        assertEquals(50, obey.delayNanos(0, 0.5, Window.NONE, 9_000));
    }

    @Test
    void window_upsideDown_isItsLeast() {
        assertEquals(500, delay(Kind.OBEY, 0, 0.9, new Window(500, 200)));
    }

    @Test
    void comesBack_onlyNone_stays() {
        for (Kind kind : Kind.values()) {
            assertEquals(kind != Kind.NONE, new Comeback(kind, 1, 1).comesBack());
        }
        assertFalse(Comeback.NEVER.comesBack());
        assertTrue(WINDOW.given());
        assertFalse(Window.NONE.given());
    }

    @Test
    void comeback_capBelowBase_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Comeback(Kind.FIXED, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new Comeback(Kind.FIXED, -1, 1));
    }
}
