package io.heartwheel.outlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.event.EventKind;
import io.heartwheel.outlet.EventReader.Chunk;
import io.heartwheel.outlet.EventReader.Position;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.Transaction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A reader of a store whose reads fail. */
class EventReaderTest {
    private static final int WORLDS = 300;
    private static final Position START = new Position(0, 0);
    private static final Set<EventKind> ALL = EnumSet.allOf(EventKind.class);

    private final MemoryStore store = new MemoryStore();

    private static void commit(MemoryStore to, int records) throws StoreException {
        Transaction transaction = new Transaction();
        for (int i = 0; i < records; i++) {
            ByteBuffer json = ByteBuffer.wrap(new byte[] {'{', '}'});
            transaction.records().add(EventKind.DATA.number(), 1, new byte[0], json);
        }
        to.commit(transaction);
    }

    private EventReader reader(int failEvery) {
        return new EventReader(ScriptedReader.failing(store.reader(), failEvery), MemoryStore.ID, "", ALL, () -> 5);
    }

    /** The numbers that an event stands for. */
    private static LongStream numbers(OutletEvent event) {
        String[] id = event.id().substring(MemoryStore.ID.length() + 1).split("-");
        return LongStream.rangeClosed(Long.parseLong(id[0]), Long.parseLong(id[id.length - 1]));
    }

    @Test
    void next_readFailsBehindTheFirstBatch_givesWhatWasReadAndThenTheFailure() throws Exception {
        commit(store, 2);
        commit(store, 1);
        EventReader reader = reader(2);
        Chunk first = reader.next(START, 10, 1 << 20);
        assertEquals(
                List.of(1L, 2L),
                first.events().stream().map(OutletEvent::number).toList());
        assertEquals(2, first.end().number());
        Chunk second = reader.next(first.end(), 10, 1 << 20);
        assertEquals(
                List.of(3L), second.events().stream().map(OutletEvent::number).toList());
        assertNull(reader.next(second.end(), 10, 1 << 20));
        assertThrows(StoreException.class, () -> reader.next(second.end(), 10, 1 << 20));
    }

    /** A filter that wants nothing of large records must not keep the thread. */
    @Test
    void next_muchThatIsNotWanted_endsAfterSomeBytes() throws Exception {
        for (int i = 0; i < 40; i++) {
            store.append(EventKind.DATA.number(), "d", "x".repeat(1 << 20));
        }
        EventReader reader = new EventReader(store.reader(), MemoryStore.ID, "", EnumSet.of(EventKind.GAP), () -> 5);
        Chunk chunk = reader.next(START, 10, 1 << 20);
        assertEquals(List.of(), chunk.events());
        assertEquals(16, chunk.end().number());
    }

    @Test
    void next_recordsMissing_tellsWhoListens() throws Exception {
        commit(store, 2);
        commit(store, 1);
        AtomicInteger gaps = new AtomicInteger();
        EventReader reader = reader(Integer.MAX_VALUE);
        reader.onGap(gaps::incrementAndGet);
        Chunk whole = reader.next(START, 2, 1 << 20);
        assertEquals(0, gaps.get());
        store.damage(3);
        reader.next(whole.end(), 10, 1 << 20);

        assertEquals(1, gaps.get());
    }

    /** Any batches, damage, dropped heads, limits and failures: each number comes out once, in order, as an event or in a gap; and exactly those are in gaps. */
    @Test
    void next_readsFailAtEveryNthCall_leavesNothingOutAndGivesNothingTwice() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int world = 0; world < WORLDS; world++) {
            MemoryWorld made = new MemoryWorld(random);
            StoreReader failing = ScriptedReader.failing(made.store.reader(), 2 + random.nextInt(4));
            EventReader reader = new EventReader(failing, MemoryStore.ID, "", ALL, () -> 5);
            List<Long> out = new ArrayList<>();
            List<Long> missing = new ArrayList<>();
            Position at = START;
            while (at.number() < made.store.lastNumber()) {
                try {
                    Chunk chunk = reader.next(at, 1 + random.nextInt(9), 1 + random.nextInt(40));
                    for (OutletEvent event : chunk.events()) {
                        numbers(event).forEach(out::add);
                        numbers(event)
                                .filter(each -> event.kind() == EventKind.GAP)
                                .forEach(missing::add);
                    }
                    at = chunk.end();
                } catch (StoreException e) {
                    assertEquals("broken", e.getMessage());
                }
            }
            assertEquals(
                    LongStream.rangeClosed(1, made.store.lastNumber()).boxed().toList(), out);
            assertEquals(made.missing, missing);
        }
    }

    /** A store of random batches, some of them damaged, its head dropped. */
    private static final class MemoryWorld {
        private final MemoryStore store = new MemoryStore();
        private final List<Long> missing = new ArrayList<>();

        MemoryWorld(Random random) throws StoreException {
            int batches = 2 + random.nextInt(8);
            int dropped = random.nextInt(batches);
            long drop = 0;
            for (int i = 0; i < batches; i++) {
                long first = store.lastNumber() + 1;
                EventReaderTest.commit(store, 1 + random.nextInt(12));
                boolean isDamaged = random.nextInt(4) == 0;
                if (isDamaged) {
                    store.damage(first);
                }
                if (isDamaged || i < dropped) {
                    LongStream.rangeClosed(first, store.lastNumber()).forEach(missing::add);
                }
                if (i < dropped) {
                    drop = store.lastNumber();
                }
            }
            store.drop(drop);
        }
    }
}
