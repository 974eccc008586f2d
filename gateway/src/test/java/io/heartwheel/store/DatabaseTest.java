package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.store.StoreException.Cause;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Works in common transactions, on a thread of their own. */
class DatabaseTest {
    private static final String TABLE =
            "CREATE TABLE a(n INTEGER PRIMARY KEY, text TEXT NOT NULL); CREATE INDEX a_text ON a(text)";

    @TempDir
    private Path parent;

    private Database database;

    @BeforeEach
    void open() throws StoreException {
        database = open(List.of(TABLE));
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Database open(List<String> schema) throws StoreException {
        return Database.open(parent.resolve("messages"), "m.db", true, schema, new ThreadProgress("test"));
    }

    private static int put(Transactions.Statements on, long n, String text) throws SQLException {
        PreparedStatement put = on.of("INSERT INTO a(n, text) VALUES(?, ?)");
        put.setLong(1, n);
        put.setString(2, text);
        return put.executeUpdate();
    }

    private static long count(Transactions.Statements on) throws SQLException {
        try (ResultSet found = on.of("SELECT count(*) FROM a").executeQuery()) {
            return found.getLong(1);
        }
    }

    private long count() {
        return database.run(DatabaseTest::count).join();
    }

    /** Holds the thread until all of these wait, so that they are one transaction. */
    private List<CompletableFuture<?>> together(List<Transactions.Work<?>> works) {
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        database.run(on -> {
            begun.complete(true);
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        });
        begun.join();
        List<CompletableFuture<?>> results = new ArrayList<>();
        works.forEach(work -> results.add(database.run(work)));
        go.countDown();
        return results;
    }

    private static StoreException failure(CompletableFuture<?> result) {
        CompletionException failed = assertThrows(CompletionException.class, result::join);
        return (StoreException) failed.getCause();
    }

    @Test
    void run_severalThatWait_areOneTransactionInOrder() {
        List<Boolean> committed = new ArrayList<>();
        List<CompletableFuture<?>> results = together(List.of(
                on -> put(on, 1, "x"),
                on -> committed.add(false), // nobody has been told yet
                on -> count(on)));
        results.get(0).whenComplete((done, failure) -> committed.add(true));
        assertEquals(1L, results.get(2).join());
        assertEquals(List.of(false, true), committed);
    }

    @Test
    void run_oneFails_failsAlone() {
        for (RuntimeException fault : List.of(new IllegalStateException("x"))) {
            List<CompletableFuture<?>> results = together(List.of(
                    on -> put(on, 1, "x"),
                    on -> {
                        throw fault;
                    },
                    on -> put(on, 1, "the same number"),
                    on -> put(on, 2, "y")));
            assertEquals(1, results.get(0).join());
            assertEquals(1, results.get(3).join());
            assertTrue(failure(results.get(1)).getMessage().endsWith("m.db: java.lang.IllegalStateException: x"));
            assertTrue(failure(results.get(2)).getMessage().contains("UNIQUE"));
            assertEquals(2, count());
        }
    }

    @Test
    void run_diskIsFull_saysSoAndGoesOnWhenThereIsRoom() {
        // PRAGMAs are no part of a transaction
        long pages = database.run(on -> {
                    try (ResultSet found = on.of("PRAGMA page_count").executeQuery()) {
                        return found.getLong(1);
                    }
                })
                .join();
        database.run(on -> {
                    on.execute("PRAGMA max_page_count = " + (pages + 1));
                    return true;
                })
                .join();
        StoreException full = failure(database.run(on -> put(on, 1, "x".repeat(100_000))));
        assertEquals(Cause.DISK_FULL, full.kind());
        assertEquals(1, database.run(on -> put(on, 2, "small")).join(), "what needs no more room");
        database.run(on -> {
                    on.execute("PRAGMA max_page_count = " + (pages + 1_000));
                    return true;
                })
                .join();
        assertEquals(1, database.run(on -> put(on, 1, "x".repeat(100_000))).join());
        assertEquals(2, count());
    }

    @Test
    void run_pageIsDamaged_failsAloneAndSaysSo() throws Exception {
        database.run(on -> {
                    on.execute("DROP INDEX a_text"); // else the damaged one stands there too
                    return true;
                })
                .join();
        for (int n = 1; n <= 2; n++) {
            int number = n;
            database.run(on -> put(on, number, String.valueOf(number).repeat(20_000)))
                    .join();
        }
        database.close();
        Path file = parent.resolve("messages").resolve("m.db");
        byte[] bytes = Files.readAllBytes(file);
        for (int page = 0; page < bytes.length; page += 4_096) {
            if (new String(bytes, page, 4_096, StandardCharsets.ISO_8859_1).endsWith("2".repeat(4_092))) {
                Arrays.fill(bytes, page, page + 4_096, (byte) 0);
            }
        }
        Files.write(file, bytes);
        open();
        List<CompletableFuture<?>> results =
                together(List.of(on -> put(on, 3, "x"), on -> text(on, 2), on -> text(on, 1)));
        assertTrue(StoreException.isDamage(failure(results.get(1))));
        assertEquals(1, results.get(0).join());
        assertEquals("1".repeat(20_000), results.get(2).join());
        assertEquals(3, count());
    }

    private static String text(Transactions.Statements on, long n) throws SQLException {
        PreparedStatement get = on.of("SELECT text FROM a WHERE n = ?");
        get.setLong(1, n);
        try (ResultSet found = get.executeQuery()) {
            return found.getString(1);
        }
    }

    @Test
    void open_again_hasWhatWasCommittedAndNoMore() throws StoreException {
        List<CompletableFuture<?>> results = together(List.of(on -> put(on, 1, "x"), on -> put(on, 2, "y")));
        database.close();
        assertTrue(results.stream().noneMatch(CompletableFuture::isCompletedExceptionally), "what waited was done");
        StoreException closed = failure(database.run(DatabaseTest::count));
        assertTrue(closed.getMessage().endsWith("m.db is closed"));
        open();
        assertEquals(2, count());
        assertTrue(database.bytes() > 0);
    }

    @Test
    void open_newerSchema_runsWhatIsMissing() throws StoreException {
        database.run(on -> put(on, 1, "x")).join();
        database.close();
        database = open(List.of(TABLE, "ALTER TABLE a ADD COLUMN more TEXT"));
        database.run(on -> {
                    on.execute("UPDATE a SET more = text");
                    return true;
                })
                .join();
        database.close();
        StoreException later = assertThrows(StoreException.class, () -> open(List.of(TABLE)));
        assertTrue(later.getMessage().endsWith("layout 2 is of a later version of the gateway, this one knows 1"));
        database = open(List.of(TABLE, "never run again"));
        assertEquals(1, count());
    }

    @Test
    void open_schemaThatBreaksOff_isRunAgainFromItsBegin() throws StoreException {
        database.close();
        assertThrows(
                StoreException.class, () -> open(List.of(TABLE, "CREATE TABLE b(n); CREATE TABLE a(this, is, there)")));
        database = open(List.of(TABLE, "CREATE TABLE b(n)"));
        assertEquals(0, count());
    }

    @Test
    void open_heldByAnother_isRefused() {
        StoreException held = assertThrows(StoreException.class, () -> open(List.of(TABLE)));
        assertEquals(Cause.LOCKED, held.kind());
    }

    @Test
    void open_damaged_isRefusedByName() throws Exception {
        database.close();
        Path file = parent.resolve("messages").resolve("m.db");
        Files.writeString(file, "no database".repeat(1_000));
        StoreException damaged = assertThrows(StoreException.class, () -> open(List.of(TABLE)));
        assertTrue(damaged.getMessage().startsWith(file + ": "), damaged.getMessage());
        Files.delete(file);
        open();
        assertEquals(0, count());
    }

    @Test
    void close_idle_endsTheThread() throws StoreException {
        ThreadProgress progress = new ThreadProgress("other");
        Database other = Database.open(parent.resolve("other"), "m.db", false, List.of(TABLE), progress);
        other.run(on -> put(on, 1, "x")).join();
        other.close();
        assertFalse(progress.thread().isAlive());
    }
}
