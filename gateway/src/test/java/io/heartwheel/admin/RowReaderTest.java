package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readings that begin anew, or are asked for again, while an answer of the store is on its way. */
class RowReaderTest {
    private static final class Store implements RowStore {
        final List<CompletableFuture<State>> states = new ArrayList<>();
        final List<CompletableFuture<List<Entry>>> pages = new ArrayList<>();
        final List<Long> after = new ArrayList<>();

        @Override
        public CompletionStage<State> state() {
            states.add(new CompletableFuture<>());
            return states.get(states.size() - 1);
        }

        @Override
        public CompletionStage<List<Entry>> page(boolean nodesAlone, long behind, int most) {
            after.add(behind);
            pages.add(new CompletableFuture<>());
            return pages.get(pages.size() - 1);
        }

        @Override
        public CompletionStage<Row> read(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Row> readLatest(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
            throw new UnsupportedOperationException();
        }

        void has(int state, long lastRevision) {
            states.get(state).complete(new State(1, lastRevision, 1));
        }

        void sends(int page, String key, long revision) {
            Row row = new Row(new NodeId("n", 1), 0, 1, true, revision);
            pages.get(page).complete(List.of(new Entry(key.getBytes(StandardCharsets.UTF_8), row, 0)));
        }
    }

    private final Store store = new Store();
    private final List<List<String>> lost = new ArrayList<>();
    private CompletableFuture<Boolean> looked = new CompletableFuture<>();
    private final RowReader<String> reader = new RowReader<>(
            store,
            Runnable::run,
            10,
            () -> new HashSet<>(Set.of("x", "y")),
            entry -> new String(entry.deviceId(), StandardCharsets.UTF_8),
            keys -> {
                lost.add(keys);
                return looked;
            });

    /**
     * Two rows, one a page.
     *
     * @param seen pages that have come when it begins anew; the next is on its way
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void fromTheBeginning_whileAPageIsOnItsWay_readsAllAgain(int seen) {
        CompletableFuture<Boolean> read = reader.refresh();
        store.has(0, 8);
        for (int page = 0; page < seen + 3; page++) {
            if (page == seen) {
                reader.fromTheBeginning();
            }
            boolean first = page == 0 || page == seen + 1;
            store.sends(page, first ? "x" : "y", first ? 5 : 8);
        }
        assertEquals(seen == 0 ? List.of(0L, 0L, 5L) : List.of(0L, 5L, 0L, 5L), store.after);
        assertEquals(List.of(List.of()), lost);
        looked.complete(true);
        assertTrue(read.join());
        assertFalse(reader.readsAll());
    }

    @Test
    void fromTheBeginning_whileLostKeysAreLookedAt_isNotOverWithThese() {
        CompletableFuture<Boolean> read = reader.refresh();
        store.has(0, 5);
        store.sends(0, "x", 5);
        reader.fromTheBeginning();
        looked.complete(true);
        assertTrue(read.join());
        assertTrue(reader.readsAll());
        reader.saw("x");
        reader.refresh();
        store.has(1, 0);
        assertEquals(List.of(List.of("y"), List.of("y")), lost);
        assertFalse(reader.readsAll());
    }

    @Test
    void refresh_manyWhileOneIsUnderWay_areOneMoreBehindItAlsoIfItFails() {
        CompletableFuture<Boolean> first = reader.refresh();
        CompletableFuture<Boolean> second = reader.refresh();
        assertSame(second, reader.refresh());
        assertEquals(1, store.states.size());
        looked = CompletableFuture.failedFuture(new IllegalStateException("away"));
        store.has(0, 0);
        assertTrue(first.isCompletedExceptionally());
        assertTrue(reader.readsAll());
        assertEquals(2, store.states.size());
        looked = CompletableFuture.completedFuture(true);
        store.has(1, 0);
        assertTrue(second.join());
        assertEquals(2, lost.size(), "told again");
    }
}
