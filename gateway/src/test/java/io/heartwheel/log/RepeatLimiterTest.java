package io.heartwheel.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.log.RepeatLimiter.Kind;
import io.heartwheel.log.RepeatLimiter.LeftOut;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatLimiterTest {
    private static final long SECOND = 1_000_000_000;
    private static final Kind KIND = new Kind("a.B", "x {}");

    /** A clock of the JVM may begin anywhere. */
    private final long start = nearTheEnd();

    private final RepeatLimiter<String> repeatLimiter = new RepeatLimiter<>(3, start);

    private static long nearTheEnd() {
        return Long.MAX_VALUE - SECOND / 2;
    }

    private long taken(Kind kind, int lines) {
        return IntStream.range(0, lines)
                .filter(i -> repeatLimiter.take(kind, "line " + i))
                .count();
    }

    @Test
    void take_more_areLeftOutAndToldOnceTheStepIsOver() {
        assertEquals(3, taken(KIND, 10));
        assertEquals(List.of(), repeatLimiter.turn(start + SECOND - 1));
        assertEquals(List.of(new LeftOut<>("line 9", 7)), repeatLimiter.turn(start + SECOND));
        assertEquals(List.of(), repeatLimiter.turn(start + 2 * SECOND));
    }

    @Test
    void take_anotherMessageOrLogger_isAnotherKind() {
        taken(KIND, 3);
        assertTrue(repeatLimiter.take(new Kind("a.B", "y {}"), ""));
        assertTrue(repeatLimiter.take(new Kind("a.C", "x {}"), ""));
        assertFalse(repeatLimiter.take(new Kind("a.B", "x {}"), ""));
    }

    @Test
    void take_moreKindsThanAreKept_shareWhatIsLeft() {
        for (int i = 0; i < RepeatLimiter.MOST_KINDS; i++) {
            assertTrue(repeatLimiter.take(new Kind("a.B", "kind " + i), ""));
        }
        long others = IntStream.range(0, 10_000)
                .filter(i -> repeatLimiter.take(new Kind("a.B", "other " + i), "other"))
                .count();
        assertEquals(3, others);
        assertEquals(List.of(new LeftOut<>("other", 9_997)), repeatLimiter.turn(start + SECOND));
    }

    @Test
    void most_raisedWithinAStep_countsFromThen() {
        taken(KIND, 5);
        repeatLimiter.most(100);
        assertTrue(repeatLimiter.take(KIND, "again"));
        assertEquals(List.of(new LeftOut<>("line 4", 2)), repeatLimiter.turn(start + SECOND));
    }
}
