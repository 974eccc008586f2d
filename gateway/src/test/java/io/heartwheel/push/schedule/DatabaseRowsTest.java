package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.push.Push;
import io.heartwheel.push.TestDatabase;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.store.Database;
import io.heartwheel.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of schedules in a database on a disk. */
class DatabaseRowsTest {
    @TempDir
    private Path directory;

    private Database database;
    private DatabaseRows rows;

    @BeforeEach
    void open() throws Exception {
        database = Database.open(
                directory.resolve("messages"),
                "messages.db",
                false,
                List.of(DatabaseRows.TABLES),
                new ThreadProgress("test"));
        rows = new DatabaseRows(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static ScheduleRow row(String key, long generation, Progress progress) {
        ScheduleSpec spec = new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.GROUP, "site-7"),
                ScheduleSpec.Start.AT,
                -5,
                ScheduleSpec.Repeat.DELAY,
                100,
                ScheduleSpec.FOR_EVER,
                ScheduleSpec.Missed.ALL,
                Push.Ack.RECEIVED,
                7_000,
                true,
                false);
        return new ScheduleRow(key, generation, spec, new byte[] {0, -1, 7}, 3, progress);
    }

    private static <T> T done(CompletableFuture<T> future) {
        return future.join();
    }

    private ScheduleRow read(String key) {
        return done(rows.read(List.of("none", key))).get(0);
    }

    @Test
    void put_everything_isReadAgainAlsoAfterAStart() throws Exception {
        Progress progress = new Progress(3, Long.MAX_VALUE, true, -9, 11, RunResult.EXPIRED);
        done(rows.put(row("k", 5, progress)));
        done(rows.put(row("first", 6, new Progress(0, 4, false, 1_780_000_000_000L, 0, null))));
        done(rows.putSteps(-3_600_000));
        done(rows.putSteps(42));
        close();
        open();
        ScheduleRow read = read("k");
        ScheduleRow put = row("k", 5, progress);
        assertEquals(put.spec(), read.spec());
        assertEquals(progress, read.progress());
        assertEquals(5, read.generation());
        assertEquals(3, read.bytes());
        assertArrayEquals(put.payload(), read.payload());
        assertNull(read("first").progress().lastResult());
        ScheduleRows.Kept kept = done(rows.load());
        assertEquals(42, kept.stepsMillis());
        assertEquals(
                List.of(
                        new ScheduleRows.Waiting("k", 5, true, -9, 3),
                        new ScheduleRows.Waiting("first", 6, false, 1_780_000_000_000L, 3)),
                kept.schedules());
    }

    @Test
    void move_anotherGeneration_changesNothing() {
        Progress start = new Progress(0, 2, false, 10, 0, null);
        done(rows.put(row("k", 5, start)));
        Progress moved = new Progress(1, 1, false, 20, 15, RunResult.SENT);
        Progress over = new Progress(2, 0, false, 20, 25, RunResult.SENT);
        done(rows.move(List.of(
                new ScheduleRows.Move("k", 4, over),
                new ScheduleRows.Move("k", 5, moved),
                new ScheduleRows.Move("none", 5, moved))));
        assertEquals(moved, read("k").progress());
        assertArrayEquals(new byte[] {0, -1, 7}, read("k").payload());
        done(rows.put(row("k", 6, start)));
        done(rows.move(List.of(new ScheduleRows.Move("k", 5, over))));
        assertEquals(start, read("k").progress());
        done(rows.move(List.of(new ScheduleRows.Move("k", 6, over))));
        assertEquals(List.of(), done(rows.read(List.of("k"))));
        assertFalse(done(rows.delete("k")));
        done(rows.put(row("k", 7, start)));
        assertTrue(done(rows.delete("k")));
    }

    @Test
    void read_payloadIsDamaged_saysSoAndTheOthersAreThere() throws Exception {
        Progress start = new Progress(0, 2, false, 10, 0, null);
        ScheduleRow small = row("whole", 6, start);
        byte[] large = "x".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
        done(rows.put(small));
        done(rows.put(new ScheduleRow("torn", 5, small.spec(), large, large.length, start)));
        close();
        Path file = directory.resolve("messages").resolve("messages.db");
        Files.write(file, TestDatabase.damaged(Files.readAllBytes(file), TestDatabase.payloadOf('x')));
        open();
        assertEquals(2, done(rows.load()).schedules().size());
        for (CompletableFuture<?> failed : List.of(
                rows.read(List.of("torn")),
                rows.move(List.of(new ScheduleRows.Move("torn", 5, start))),
                rows.delete("torn"))) {
            assertTrue(StoreException.isDamage(assertThrows(CompletionException.class, failed::join)));
        }
        assertEquals(start, read("whole").progress());
        assertTrue(done(rows.delete("whole")));
    }

    @Test
    void page_inMemoryAndOnTheDisk_isTheSame() {
        MemoryRows memory = new MemoryRows();
        for (String key : List.of("b", "a", "b!", "b~", "c", "B", "~")) {
            ScheduleRow row = row(key, 1, new Progress(0, 1, false, 10, 0, null));
            done(rows.put(row));
            memory.put(row);
        }
        for (String after : List.of("", "a", "b!", "bb", "~")) {
            for (String prefix : List.of("", "b", "b~", "x", "~")) {
                for (int limit : new int[] {1, 3, 9}) {
                    List<ScheduleRow> page = done(rows.page(after, prefix, limit));
                    assertEquals(keys(done(memory.page(after, prefix, limit))), keys(page), after + " " + prefix);
                    page.forEach(row -> assertNull(row.payload()));
                }
            }
        }
    }

    private static List<String> keys(List<ScheduleRow> page) {
        return page.stream().map(ScheduleRow::key).toList();
    }
}
