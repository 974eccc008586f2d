package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The keeper under loads that do not end, far behind, and beside faults that last; it does its rounds when the test says so. */
@Timeout(60)
class KeeperTest {
    @TempDir
    Path directory;

    private final MemoryDisk disk = new MemoryDisk(new Random(1));
    private final Transaction transaction = new Transaction();

    private SegmentStore open(boolean hasThread) throws StoreException {
        return SegmentStore.open(
                new SegmentStore.Built(Records.settings(directory), disk, () -> Records.NOW, hasThread));
    }

    private SegmentStore open() throws StoreException {
        return open(false);
    }

    /** All of a large log is read again after a power failure: the keeper reports meanwhile, or the process would be ended for it. */
    @Test
    void keep_muchWithoutChanges_reportsAfterEachBatch() throws IOException {
        try (SegmentStore store = open()) {
            for (int i = 0; i < 300; i++) {
                Records.append(store, 1);
            }
            AtomicLong works = new AtomicLong();
            store.onKeeping(works::incrementAndGet, () -> {});
            store.keep();
            assertTrue(works.get() >= 300, () -> works + " reports");
            assertEquals(0, store.figures().keeperLag());
        }
    }

    /** A load that does not end must not keep it from saving cursors and dropping files. */
    @Test
    void keep_commitsNeverStop_ends() throws IOException {
        try (SegmentStore store = open()) {
            Records.append(store, 1);
            int[] commits = {0};
            store.onKeeping(
                    () -> {
                        if (commits[0] < 100) {
                            commits[0]++;
                            assertDoesNotThrow(() -> Records.append(store, 1));
                        }
                    },
                    () -> {});
            store.keep();
            assertTrue(commits[0] < 10, () -> commits[0] + " commits");
        }
    }

    @Test
    void rows_farBehind_throwsAndGoesOnWhereItWas() throws IOException {
        byte[] one = {0, 1};
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            Records.put(store, one, new byte[] {7});
            for (int i = 0; i < PresenceRows.MOST_BATCHES; i++) {
                Records.append(store, 1);
            }
            StoreException behind = assertThrows(StoreException.class, () -> reader.rows(new byte[0], 10));
            assertTrue(behind.getMessage().contains("is being brought up to date"), behind::getMessage);
            assertEquals(1, store.figures().keeperLag());
            assertEquals("1=7", Records.rows(reader, new byte[0]));
        }
    }

    @Test
    void keep_viewCannotBeWritten_tellsWhatIsMissingOnce() throws Exception {
        try (Connection rows = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve(PresenceRows.FILE));
                Statement statement = rows.createStatement()) {
            statement.execute(
                    "CREATE TABLE row(key BLOB PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID");
            statement.execute("CREATE TRIGGER no BEFORE INSERT ON row BEGIN SELECT RAISE(ABORT, 'no'); END");
        }
        try (SegmentStore store = open()) {
            Records.fill(store, 14);
            long[] told = {0};
            store.onDamage(() -> told[0]++);
            for (int i = 0; i < 60; i++) {
                store.keep();
            }
            assertTrue(store.firstNumber() > 1);
            assertEquals(1, told[0], store.damage()::text);
        }
    }

    /** A limit that was lowered far: thousands of files go, and the keeper reports meanwhile. */
    @Test
    void keep_manyFilesToDrop_reportsInBetween() throws IOException {
        try (SegmentStore store = open()) {
            Records.fill(store, 200);
            long[] deleted = {0, 0};
            disk.onDelete = () -> deleted[1] = Math.max(deleted[1], ++deleted[0]);
            store.onKeeping(() -> deleted[0] = 0, () -> {});
            store.keep();
            assertTrue(store.recordBytes() < Records.MAX_BYTES);
            assertTrue(deleted[1] <= 64, () -> deleted[1] + " at once");
        }
    }

    /** What is to be written is larger than what is left, though less than three quarters are taken. */
    @Test
    void lacksRoom_everyOutletDone_dropsAllOneByOne() throws IOException {
        try (SegmentStore store = open()) {
            store.cursors().open("out", 0);
            Records.fill(store, 5);
            store.lacksRoom();
            store.keep();
            assertEquals(1, store.firstNumber());
            store.cursors().moveTo("out", store.lastNumber());
            for (int i = 0; i < 10 && store.recordBytes() > 0; i++) {
                store.lacksRoom();
                store.keep();
            }
            assertEquals(0, store.recordBytes());
            long last = store.lastNumber();
            Records.append(store, 3);
            assertEquals(List.of(new Range(last + 1, last + 3, false)), Records.read(store, last));
            store.keep();
            assertEquals(last + 1, store.firstNumber());
        }
    }

    /** As on a file system that copies what is overwritten: the state itself needs room. */
    @Test
    void keep_fullAndTheStateNeedsRoomToo_dropsAndCommitsAgain() throws IOException {
        try (SegmentStore store = open()) {
            Records.fill(store, 5);
            disk.limit(disk.usedBytes());
            disk.copies = true;
            Records.add(transaction, store.lastNumber() + 1);
            assertThrows(StoreException.class, () -> store.commit(transaction));
            disk.limit(disk.usedBytes());
            store.keep();
            assertTrue(store.firstNumber() > 1);
            store.commit(transaction);
        }
        try (SegmentStore store = open()) {
            assertFalse(store.damage().any(), store.damage()::text);
        }
    }

    /** While the keeper is slow, or hangs, its rounds do not queue up. */
    @Test
    void commit_failsAgainAndAgain_asksForOneRound() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicLong rounds = new AtomicLong();
        SegmentStore store = open(true);
        store.onKeeping(() -> {}, () -> {
            rounds.incrementAndGet();
            hanging.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Records.append(store, 1);
        hanging.await();
        Records.add(transaction, 2);
        disk.failOften(1);
        for (int i = 0; i < 1_000; i++) {
            assertThrows(StoreException.class, () -> store.commit(transaction));
        }
        disk.failOften(0);
        end.countDown();
        store.close();
        assertTrue(rounds.get() < 10, () -> rounds + " rounds");
    }
}
