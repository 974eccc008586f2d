package io.heartwheel.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.log.Repeats.Kind;
import io.heartwheel.log.Repeats.LeftOut;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    private static final long SECOND = 1_000_000_000;
    private static final Kind KIND = new Kind("a.B", "x {}");

    /** A clock of the JVM may begin anywhere. */
    private final long start = nearTheEnd();

    private final Repeats<String> repeats = new Repeats<>(3, start);

    private static long nearTheEnd() {
        return Long.MAX_VALUE - SECOND / 2;
    }

    private long taken(Kind kind, int lines) {
        return IntStream.range(0, lines)
                .filter(i -> repeats.take(kind, "line " + i))
                .count();
    }

    @Test
    void take_asManyAsMayBe_pass() {
        assertEquals(3, taken(KIND, 3));
        assertEquals(List.of(), repeats.turn(start + SECOND));
    }

    @Test
    void take_more_areLeftOutAndToldOnceTheStepIsOver() {
        assertEquals(3, taken(KIND, 10));
        assertEquals(List.of(), repeats.turn(start + SECOND - 1));
        assertEquals(List.of(new LeftOut<>("line 9", 7)), repeats.turn(start + SECOND));
        assertEquals(List.of(), repeats.turn(start + 2 * SECOND));
    }

    @Test
    void take_inTheNextStep_passesAgain() {
        taken(KIND, 10);
        repeats.turn(start + SECOND);
        assertEquals(3, taken(KIND, 10));
    }

    @Test
    void take_anotherMessageOrLogger_isAnotherKind() {
        taken(KIND, 3);
        assertTrue(repeats.take(new Kind("a.B", "y {}"), ""));
        assertTrue(repeats.take(new Kind("a.C", "x {}"), ""));
        assertFalse(repeats.take(new Kind("a.B", "x {}"), ""));
    }

    @Test
    void take_moreKindsThanAreKept_shareWhatIsLeft() {
        for (int i = 0; i < Repeats.MOST_KINDS; i++) {
            assertTrue(repeats.take(new Kind("a.B", "kind " + i), ""));
        }
        long others = IntStream.range(0, 10_000)
                .filter(i -> repeats.take(new Kind("a.B", "other " + i), "other"))
                .count();
        assertEquals(3, others);
        assertEquals(List.of(new LeftOut<>("other", 9_997)), repeats.turn(start + SECOND));
    }

    @Test
    void most_raisedWithinAStep_countsFromThen() {
        taken(KIND, 5);
        repeats.most(100);
        assertTrue(repeats.take(KIND, "again"));
        assertEquals(List.of(new LeftOut<>("line 4", 2)), repeats.turn(start + SECOND));
    }
}
