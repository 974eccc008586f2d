package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store on a real disk that is missing, somebody else's or damaged: nothing is invented, nothing is missing without a word. */
@Timeout(120)
class StoreFaultTest {
    private static final int COMMITS = 60;
    private static final int RECORDS = COMMITS * 20;

    private final long seed = Long.getLong("test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    @BeforeEach
    void tell() {
        System.out.println("StoreFaultTest seed " + seed);
    }

    @Test
    void open_missingDirectory_isMadeForItsGroupAloneIfItsParentExists() throws IOException {
        Path own = directory.resolve("a");
        try (SegmentStore store = Records.open(own)) {
            Records.append(store, 1);
            store.keep();
            assertEquals("rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
            try (Stream<Path> files = Files.list(own)) {
                for (Path file : files.toList()) {
                    assertEquals(
                            "rw-r-----",
                            PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                            file::toString);
                }
            }
        }
        refused(directory.resolve("b/c"));
    }

    @Test
    void open_file_isRefused() throws IOException {
        refused(Files.writeString(directory.resolve("file"), "text"));
    }

    @Test
    void open_directoryThatCannotBeWrittenTo_isRefused() throws IOException {
        refused(Path.of("/proc/self/task"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
        if (!Files.isWritable(directory)) {
            refused(directory);
        }
    }

    private static void refused(Path directory) {
        StoreException refused = assertThrows(StoreException.class, () -> Records.open(directory));
        assertEquals(StoreException.Cause.NOT_WRITABLE, refused.kind(), refused::getMessage);
        assertTrue(refused.getMessage().startsWith(directory.toString()), refused::getMessage);
    }

    /** The system says so in the language that the process was started with. */
    @Test
    void failure_noRoomInAnyLanguage_isKnown() throws Exception {
        ProcessBuilder german = new ProcessBuilder(StoreProcess.command(Path.of(StoreProcess.FULL_DEVICE)));
        german.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de"));
        Process process = german.start();
        try (var said = process.inputReader()) {
            assertEquals("DISK_FULL", said.readLine());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The other commits as fast as it can, until it is killed. */
    @Test
    void open_afterAnotherProcess_namesItAndOnceItIsKilledHasAllThatItAcknowledged() throws Exception {
        Process other = new ProcessBuilder(StoreProcess.command(directory)).start();
        long acknowledged = 0;
        try (var numbers = other.inputReader()) {
            assertEquals("open", numbers.readLine());
            StoreException refused = assertThrows(StoreException.class, () -> Records.open(directory));
            assertEquals(StoreException.Cause.LOCKED, refused.kind());
            assertEquals(directory + ": in use by process " + other.pid(), refused.getMessage());
            for (int i = 0; i < 200; i++) {
                acknowledged = Long.parseLong(numbers.readLine());
            }
        } finally {
            other.destroyForcibly().waitFor();
        }
        try (SegmentStore store = Records.open(directory)) {
            assertFalse(store.damage().any(), store.damage()::text);
            assertTrue(store.lastNumber() >= acknowledged, store.lastNumber() + " of " + acknowledged);
            long first = store.firstNumber(); // there is no outlet that would hold it back
            assertEquals(0, Records.damagedIn(Records.read(store, 0), first, store.lastNumber()));
        }
    }

    /** A thread that is interrupted in a commit, as at the end of a process that hangs, does not keep the store from its end. */
    @Test
    void commit_interrupted_failsAndTheStoreEndsInGoodOrder() throws IOException {
        SegmentStore store = Records.open(directory);
        Records.append(store, 3);
        Thread.currentThread().interrupt();
        Transaction transaction = new Transaction();
        Records.add(transaction, 4);
        assertThrows(StoreException.class, () -> store.commit(transaction));
        assertTrue(Thread.interrupted());
        store.commit(transaction);
        store.ended();
        store.close();
        try (SegmentStore again = Records.open(directory)) {
            assertTrue(again.start().previousEnded());
            assertEquals(0, Records.damagedIn(Records.read(again, 0), 1, 4));
        }
    }

    // ------------------------------------------------------------------ damage

    @Test
    void open_bytesFlippedAnywhere_tellsWhatIsMissing() throws IOException {
        Map<String, byte[]> files = written();
        for (int run = 0; run < 120; run++) {
            Map<String, byte[]> damaged = copy(files);
            byte[] bytes = damaged.get(any(damaged));
            for (int i = random.nextInt(3); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            }
            verify(damaged, "run-" + run);
        }
    }

    @Test
    void open_sectorsOverwritten_tellsWhatIsMissing() throws IOException {
        Map<String, byte[]> files = written();
        for (int run = 0; run < 60; run++) {
            Map<String, byte[]> damaged = copy(files);
            byte[] bytes = damaged.get(any(damaged));
            byte[] rubbish = new byte[512];
            random.nextBytes(rubbish);
            System.arraycopy(rubbish, 0, bytes, random.nextInt(bytes.length / 512) * 512, 512);
            verify(damaged, "run-" + run);
        }
    }

    @Test
    void open_truncatedOrMissing_tellsWhatIsMissing() throws IOException {
        Map<String, byte[]> files = written();
        for (int run = 0; run < 60; run++) {
            Map<String, byte[]> damaged = copy(files);
            String name = any(damaged);
            if (random.nextInt(3) == 0) {
                damaged.remove(name);
            } else {
                damaged.put(name, Arrays.copyOf(damaged.get(name), random.nextInt(damaged.get(name).length)));
            }
            verify(damaged, "run-" + run);
        }
    }

    @Test
    void open_allSegmentsMissing_tellsTheirNumbersAndGoesOnBehindThem() throws IOException {
        Map<String, byte[]> damaged = copy(written());
        damaged.keySet().removeIf(Segment::isName);
        verify(damaged, "own");
    }

    private String any(Map<String, byte[]> files) {
        List<String> names = files.keySet().stream().sorted().toList();
        return names.get(random.nextInt(names.size()));
    }

    private static Map<String, byte[]> copy(Map<String, byte[]> files) {
        Map<String, byte[]> copy = new HashMap<>();
        files.forEach((name, bytes) -> copy.put(name, bytes.clone()));
        return copy;
    }

    /** 60 commits of 20 records of 200 bytes or so, in five segments, the last of which another start began; the files of a process that was killed. */
    private Map<String, byte[]> written() throws IOException {
        Path own = directory.resolve("written");
        Transaction transaction = new Transaction();
        try (SegmentStore store = Records.open(own)) {
            for (int i = 0; i < COMMITS - 5; i++) {
                transaction.put(new byte[] {1, (byte) i}, new byte[] {(byte) i});
                append(store, transaction);
            }
        }
        try (SegmentStore store = Records.open(own)) {
            for (int i = 0; i < 5; i++) {
                append(store, transaction);
            }
            store.keep();
            return filesOf(own);
        }
    }

    private static void append(SegmentStore store, Transaction transaction) throws StoreException {
        for (int i = 1; i <= 20; i++) {
            Records.add(transaction, store.lastNumber() + i);
        }
        store.commit(transaction);
        transaction.clear();
    }

    private static Map<String, byte[]> filesOf(Path own) throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        try (Stream<Path> all = Files.list(own)) {
            for (Path file : all.toList()) {
                byte[] bytes = Files.readAllBytes(file);
                if (bytes.length > 512
                        && !Set.of("lock").contains(file.getFileName().toString())) {
                    files.put(file.getFileName().toString(), bytes);
                }
            }
        }
        return files;
    }

    /** Opens a damaged store, reads it, appends, reads again: each record is there, or is known to be missing. */
    private void verify(Map<String, byte[]> files, String name) throws IOException {
        Path own = Files.createDirectories(directory.resolve(name));
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Files.write(own.resolve(file.getKey()), file.getValue());
        }
        long damaged;
        try (SegmentStore store = Records.open(own)) {
            damaged = missingIn(store);
            try (StoreReader reader = store.reader()) {
                reader.rows(new byte[0], 100);
            }
            assertTrue(damaged == 0 || store.damage().lostRecords() > 0, store.damage()::text);
            Records.append(store, 5);
            assertTrue(store.lastNumber() >= RECORDS + 5, () -> "numbers are given again: " + store.lastNumber());
            store.keep();
        }
        try (SegmentStore store = Records.open(own)) {
            assertEquals(damaged, missingIn(store));
            List<Range> ranges = Records.read(store, 0);
            assertFalse(ranges.get(ranges.size() - 1).damaged());
        }
    }

    /** Of the records 1 to {@value #RECORDS}: what is not there; what is there is compared. */
    private static long missingIn(SegmentStore store) throws IOException {
        long there = 0;
        for (Range range : Records.read(store, 0)) {
            if (!range.damaged()) {
                there += Math.max(0, Math.min(range.last(), RECORDS) - range.first() + 1);
            }
        }
        return RECORDS - there;
    }

    // ------------------------------------------------------------------ who is present

    /** Point 10: a row that is not as it was written is found, and told. */
    @Test
    void rows_flipped_areMadeAnewFromTheLog() throws Exception {
        damageRows(rows -> rows.executeUpdate("UPDATE row SET value = x'00' WHERE key = x'0102'"));
        damageRows(rows -> rows.executeUpdate("UPDATE row SET key = x'0177' WHERE key = x'0102'"));
        damageRows(rows -> rows.executeUpdate("ALTER TABLE row RENAME COLUMN crc TO sum"));
    }

    /** A change of a database behind the store's back. */
    private interface Change {
        void on(Statement rows) throws SQLException;
    }

    private void damageRows(Change change) throws Exception {
        Path own = Files.createTempDirectory(directory, "rows");
        try (SegmentStore store = Records.open(own)) {
            Transaction transaction = new Transaction();
            for (int i = 0; i < 5; i++) {
                transaction.put(new byte[] {1, (byte) i}, new byte[] {(byte) i});
                append(store, transaction);
            }
            store.keep();
        }
        try (Connection rows = DriverManager.getConnection("jdbc:sqlite:" + own.resolve(PresenceRows.FILE));
                Statement statement = rows.createStatement()) {
            change.on(statement);
        }
        try (SegmentStore store = Records.open(own);
                StoreReader reader = store.reader()) {
            List<StoreReader.Row> found = reader.rows(new byte[0], 10);
            assertEquals(5, found.size());
            assertEquals(2, found.get(2).value()[0]);
            assertTrue(store.damage().text().contains("moved to"), store.damage()::text);
        }
    }

    /** Point 14: nobody's look into the database can keep its log from being used again. */
    @Test
    void presence_openedByAnother_isLocked() throws Exception {
        try (SegmentStore store = Records.open(directory)) {
            Records.append(store, 1);
            store.keep();
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve(PresenceRows.FILE));
                    Statement statement = other.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 0");
                assertThrows(SQLException.class, () -> statement.executeQuery("SELECT * FROM row"));
            }
            Records.append(store, 1);
            store.keep();
            assertEquals(0, store.figures().keeperLag());
        }
    }
}
