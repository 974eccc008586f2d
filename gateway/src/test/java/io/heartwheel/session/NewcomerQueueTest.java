package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A loop gives newcomers a slice of each round, however many there are. */
class NewcomerQueueTest {
    private static final long PIECE_NANOS = NewcomerQueue.SLICE_NANOS / 4;

    private final Rounds rounds = new Rounds();
    private final List<Integer> done = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - PIECE_NANOS;
    private final NewcomerQueue queue = new NewcomerQueue(rounds, () -> nowNanos);

    private void add(int piece) {
        queue.add(() -> {
            nowNanos += PIECE_NANOS;
            done.add(piece);
        });
    }

    private void addMany(int from, int to) {
        IntStream.range(from, to).forEach(this::add);
    }

    @Test
    void add_roundHasTime_isDoneAtOnce() {
        addMany(0, 3);
        assertEquals(List.of(0, 1, 2), done);
        assertTrue(queue.hasTime());
    }

    @Test
    void add_sliceIsOver_waitsForTheNextRounds() {
        addMany(0, 10);
        assertEquals(List.of(0, 1, 2, 3), done);
        assertFalse(queue.hasTime());
        assertEquals(6, queue.length());
        rounds.next();
        assertEquals(8, done.size());
        rounds.next();
        assertEquals(IntStream.range(0, 10).boxed().toList(), done);
        assertTrue(queue.hasTime());
    }

    @Test
    void add_othersWait_isDoneBehindThem() {
        addMany(0, 5);
        rounds.next();
        addMany(5, 9);
        rounds.next();
        assertEquals(IntStream.range(0, 9).boxed().toList(), done);
    }

    @Test
    void add_aRoundLater_hasAWholeSlice() {
        addMany(0, 3);
        rounds.next();
        addMany(3, 7);
        assertEquals(7, done.size());
    }

    @Test
    void add_partOfWorkUnderWay_isDoneAtOnceAndCountedOnce() {
        addMany(0, 4);
        queue.add(() -> {
            assertTrue(queue.hasTime());
            addMany(4, 6);
        });
        addMany(6, 9);
        rounds.next();
        assertEquals(IntStream.range(0, 8).boxed().toList(), done);
        assertEquals(1, queue.length());
    }

    @Test
    void finish_manyWait_allAreDone() {
        addMany(0, 100);
        queue.finish();
        assertEquals(100, done.size());
    }
}
