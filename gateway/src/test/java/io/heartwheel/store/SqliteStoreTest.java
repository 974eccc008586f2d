package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store as its users see it, beside a model in memory. */
@Timeout(60)
class SqliteStoreTest {
    @TempDir
    Path directory;

    private final Transaction transaction = new Transaction();

    @Test
    void open_newDirectory_isEmpty() throws IOException {
        try (Store store = Records.open(directory.resolve("new"));
                StoreReader reader = store.reader()) {
            assertEquals(0, store.lastNumber());
            assertEquals(1, store.firstNumber());
            assertEquals(0, store.recordBytes());
            assertFalse(store.damage().any());
            assertNull(reader.next(0));
            assertEquals(1, reader.firstSince(0));
            assertTrue(store.id().matches("[0-9a-f]{16}"));
        }
    }

    @Test
    void next_insideABatch_leavesOutWhatIsKnown() throws IOException {
        try (Store store = Records.open(directory)) {
            Records.append(store, 5);
            Records.append(store, 5);
            assertEquals(List.of(new Range(4, 5, false), new Range(6, 10, false)), Records.read(store, 3));
            assertEquals(List.of(), Records.read(store, 10));
        }
    }

    @Test
    void dropUpTo_insideABatch_keepsTheBatch() throws IOException {
        try (Store store = Records.open(directory)) {
            for (int i = 0; i < 3; i++) {
                Records.append(store, 4);
            }
            transaction.dropUpTo(6);
            store.commit(transaction);
            assertEquals(5, store.firstNumber());
            assertEquals(List.of(new Range(5, 8, false), new Range(9, 12, false)), Records.read(store, 0));
            transaction.dropUpTo(100);
            store.commit(transaction);
            assertEquals(9, store.firstNumber(), "the newest stays");
        }
        try (Store store = Records.open(directory)) {
            assertFalse(store.damage().any(), store.damage()::text);
            assertEquals(12, store.lastNumber());
            assertEquals(9, store.firstNumber());
        }
    }

    @Test
    void firstSince_timesBetweenBatches_findsTheNextBatch() throws IOException {
        long[] now = {100};
        try (Store store = SqliteStore.open(new StoreSettings(directory, SyncPolicy.NEVER), () -> now[0]);
                StoreReader reader = store.reader()) {
            Records.append(store, 3);
            now[0] = 200;
            Records.append(store, 3);
            assertEquals(1, reader.firstSince(100));
            assertEquals(4, reader.firstSince(101));
            assertEquals(7, reader.firstSince(201));
        }
    }

    @Test
    void await_commitByAnotherThread_wakes() throws Exception {
        try (Store store = Records.open(directory);
                StoreReader reader = store.reader()) {
            assertFalse(reader.await(0, 1));
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return reader.await(0, 30_000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Records.append(store, 1);
            assertTrue(waiting.get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void commit_twiceAfterAFailure_isThereOnce() throws Exception {
        try (SqliteStore store = Records.open(directory)) {
            Records.append(store, 10);
            store.limitPages(8);
            for (int i = 1; i <= 600; i++) {
                Records.add(transaction, 10 + i);
            }
            StoreException full = assertThrows(StoreException.class, () -> store.commit(transaction));
            assertEquals(StoreException.Cause.DISK_FULL, full.kind());
            assertTrue(full.getMessage().contains("journal.db"), full.getMessage());
            assertEquals(10, store.lastNumber());
            assertEquals(List.of(new Range(1, 10, false)), Records.read(store, 0));
            store.limitPages(1 << 20);
            store.commit(transaction);
            assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, 610));
        }
        try (Store store = Records.open(directory)) {
            assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, 610));
        }
    }

    @Test
    void commit_everyPolicy_isReadAtOnceAndAfterOpening() throws IOException {
        for (SyncPolicy sync : List.of(SyncPolicy.every(1), SyncPolicy.NEVER)) {
            Path own = directory.resolve(sync.mode().name());
            StoreSettings settings = new StoreSettings(own, sync);
            String id;
            try (Store store = SqliteStore.open(settings, () -> Records.NOW)) {
                id = store.id();
                for (int i = 0; i < 50; i++) {
                    Records.append(store, 3);
                }
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, 150));
            }
            try (Store store = SqliteStore.open(settings, () -> Records.NOW)) {
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, 150));
                assertEquals(id, store.id());
            }
        }
    }

    @Test
    void open_powerFailedAndNotForced_hasANewId() throws IOException {
        StoreSettings settings = new StoreSettings(directory, SyncPolicy.every(1000));
        Path copy = directory.resolve("copy");
        String id;
        try (Store store = SqliteStore.open(settings, () -> Records.NOW, 1)) {
            id = store.id();
            Records.append(store, 3);
            StoreFiles.of(directory).writeTo(copy);
        }
        StoreSettings settingsOfCopy = new StoreSettings(copy, SyncPolicy.every(1000));
        try (Store store = SqliteStore.open(settingsOfCopy, () -> Records.NOW, 2)) {
            assertNotEquals(id, store.id());
            assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, 3));
            assertFalse(store.damage().any());
        }
    }

    @Test
    void open_secondTimeInThisProcess_namesThisProcess() throws IOException {
        try (Store store = Records.open(directory)) {
            for (int i = 0; i < 2; i++) {
                StoreException refused = assertThrows(StoreException.class, () -> Records.open(directory));
                assertEquals(StoreException.Cause.LOCKED, refused.kind());
                assertEquals(
                        directory + ": in use by process "
                                + ProcessHandle.current().pid(),
                        refused.getMessage());
            }
            Records.append(store, 1);
        }
        Records.open(directory).close();
    }

    /** Random transactions, readers, openings; a model in memory says what must be there. */
    @Test
    void commit_randomTransactions_agreeWithTheModel() throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("SqliteStoreTest seed " + seed);
        Random random = new Random(seed);
        TreeMap<Long, Integer> batches = new TreeMap<>();
        TreeMap<String, byte[]> rows = new TreeMap<>();
        SqliteStore store = Records.open(directory);
        try {
            for (int step = 0; step < 250; step++) {
                if (random.nextInt(40) == 0) {
                    store.close();
                    store = Records.open(directory);
                    assertFalse(store.damage().any(), store.damage()::text);
                }
                change(random, store, batches, rows);
                if (random.nextInt(10) == 0) {
                    compare(store, batches, rows, random);
                }
            }
            compare(store, batches, rows, random);
        } finally {
            store.close();
        }
    }

    private void change(
            Random random, SqliteStore store, NavigableMap<Long, Integer> batches, NavigableMap<String, byte[]> rows)
            throws IOException {
        transaction.clear();
        int count = random.nextInt(4) == 0 ? 0 : random.nextInt(60);
        long before = store.lastNumber();
        for (int i = 1; i <= count; i++) {
            Records.add(transaction, before + i);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] key = {(byte) random.nextInt(256), (byte) random.nextInt(3)};
            String name = name(key);
            if (random.nextBoolean()) {
                byte[] value = Records.payload(random.nextInt(1000));
                transaction.put(RowSpace.PRESENT, key, value);
                rows.put(name, value);
            } else {
                transaction.delete(RowSpace.PRESENT, key);
                rows.remove(name);
            }
        }
        if (random.nextInt(15) == 0) {
            long drop = random.nextLong(Math.max(1, before + 5));
            transaction.dropUpTo(drop);
            long newest = count > 0 || batches.isEmpty() ? Long.MAX_VALUE : batches.lastKey();
            batches.keySet().removeIf(last -> last <= drop && last != newest);
        }
        store.commit(transaction);
        if (count > 0) {
            batches.put(before + count, count);
        }
        assertEquals(before + count, store.lastNumber());
        if (random.nextInt(20) == 0) {
            store.checkpoint();
        }
    }

    private static String name(byte[] key) {
        return String.format("%02x%02x", key[0], key[1]);
    }

    private static void compare(
            SqliteStore store, NavigableMap<Long, Integer> batches, NavigableMap<String, byte[]> rows, Random random)
            throws IOException {
        List<Range> expected = batches.entrySet().stream()
                .map(batch -> new Range(batch.getKey() - batch.getValue() + 1, batch.getKey(), false))
                .toList();
        assertEquals(expected, Records.read(store, 0));
        if (!batches.isEmpty()) {
            assertEquals(expected.get(0).first(), store.firstNumber());
        }
        try (StoreReader reader = store.reader()) {
            TreeMap<String, byte[]> found = new TreeMap<>();
            byte[] after = {};
            List<StoreReader.Row> some = reader.rows(RowSpace.PRESENT, after, 1 + random.nextInt(20));
            while (!some.isEmpty()) {
                for (StoreReader.Row row : some) {
                    assertTrue(Arrays.compareUnsigned(after, row.key()) < 0);
                    after = row.key();
                    found.put(name(row.key()), row.value());
                }
                some = reader.rows(RowSpace.PRESENT, after, 1 + random.nextInt(20));
            }
            assertEquals(rows.keySet(), found.keySet());
            for (Map.Entry<String, byte[]> row : rows.entrySet()) {
                assertArrayEquals(row.getValue(), found.get(row.getKey()));
            }
        }
        long bytes = 0;
        for (Range range : expected) {
            for (long number = range.first(); number <= range.last(); number++) {
                bytes += RecordBatch.HEADER_BYTES + Records.key(number).length + Records.payload(number).length;
            }
        }
        assertEquals(bytes, store.recordBytes());
    }

    @Test
    void row_cursorValues_areEightBytes() throws IOException {
        Cursors cursors = new Cursors();
        try (Store store = Records.open(directory);
                StoreReader reader = store.reader()) {
            assertEquals(Long.MAX_VALUE, cursors.least());
            assertEquals(0, cursors.open(reader, "file", 0));
            assertEquals(7, cursors.open(reader, "webhook", 7));
            cursors.moveTo("file", 5);
            assertEquals(5, cursors.least());
            cursors.storeInto(transaction);
            store.commit(transaction);
            cursors.stored();
            transaction.clear();
            cursors.storeInto(transaction);
            assertTrue(transaction.isEmpty(), "nothing has moved");
            cursors.moveTo("file", 6);
            cursors.storeInto(transaction);
            assertEquals(1, transaction.rows().size());
            assertEquals(5, new Cursors().open(reader, "file", 0), "the commit under way does not count yet");
            byte[] row = reader.row(RowSpace.CURSORS, "webhook".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertEquals(7, ByteBuffer.wrap(row).getLong());
        }
    }
}
