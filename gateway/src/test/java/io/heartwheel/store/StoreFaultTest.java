package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store on a disk that is full, missing, somebody else's or damaged: nothing is invented, nothing is missing without a word. */
@Timeout(120)
class StoreFaultTest {
    private static final int COMMITS = 60;
    private static final int RECORDS = COMMITS * 20;
    private static final int PAGE = Sqlite.PAGE_BYTES;

    private final long seed = Long.getLong("test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    @BeforeEach
    void tell() {
        System.out.println("StoreFaultTest seed " + seed);
    }

    @Test
    void open_missingDirectory_isMadeIfItsParentExists() throws IOException {
        Records.open(directory.resolve("a")).close();
        assertTrue(Files.exists(directory.resolve("a/journal.db")));
        refused(directory.resolve("b/c"));
    }

    @Test
    void open_file_isRefused() throws IOException {
        refused(Files.writeString(directory.resolve("file"), "text"));
    }

    @Test
    void open_databaseIsADirectory_isRefused() throws IOException {
        Files.createDirectory(directory.resolve("journal.db"));
        refused(directory);
        assertTrue(Files.isDirectory(directory.resolve("journal.db")));
    }

    @Test
    void open_directoryThatCannotBeWrittenTo_isRefused() throws IOException {
        refused(Path.of("/proc/self/task"));
        Files.setPosixFilePermissions(directory, java.nio.file.attribute.PosixFilePermissions.fromString("r-xr-xr-x"));
        if (!Files.isWritable(directory)) {
            refused(directory);
        }
    }

    private static void refused(Path directory) {
        StoreException refused = assertThrows(StoreException.class, () -> Records.open(directory));
        assertEquals(StoreException.Cause.NOT_WRITABLE, refused.kind(), refused::getMessage);
        assertTrue(refused.getMessage().startsWith(directory.toString()), refused::getMessage);
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
        try (SqliteStore store = Records.open(directory)) {
            assertFalse(store.damage().any(), store.damage()::text);
            assertTrue(store.lastNumber() >= acknowledged, store.lastNumber() + " of " + acknowledged);
            assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, store.lastNumber()));
        }
    }

    @Test
    void open_bytesFlippedAnywhereInTheDatabase_tellsWhatIsMissing() throws IOException {
        verifyEach(120, bytes -> {
            for (int i = random.nextInt(3); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            }
            return bytes;
        });
    }

    @Test
    void open_sectorsOverwritten_tellsWhatIsMissing() throws IOException {
        verifyEach(60, bytes -> {
            byte[] rubbish = new byte[512];
            random.nextBytes(rubbish);
            System.arraycopy(rubbish, 0, bytes, random.nextInt(bytes.length / 512) * 512, 512);
            return bytes;
        });
    }

    /** SQLite calls that no damage: the table lacks a column. */
    @Test
    void open_nameOfAColumnDamaged_beginsAnewAndTellsWhatIsMissing() throws IOException {
        StoreFiles files = written(true);
        String text = new String(files.database(), StandardCharsets.ISO_8859_1).replaceFirst("body BLOB", "bodx BLOB");
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(RECORDS, verify(new StoreFiles(bytes, files.log(), files.mark()), "own"));
    }

    @Test
    void open_truncatedOrEmpty_tellsWhatIsMissing() throws IOException {
        Deque<Integer> lengths = new ArrayDeque<>(List.of(0, 100));
        verifyEach(
                20, bytes -> Arrays.copyOf(bytes, lengths.isEmpty() ? random.nextInt(bytes.length) : lengths.remove()));
    }

    /** A database, so many times damaged in one way. */
    private void verifyEach(int runs, UnaryOperator<byte[]> damage) throws IOException {
        StoreFiles files = written(true);
        for (int run = 0; run < runs; run++) {
            byte[] bytes = damage.apply(files.database().clone());
            verify(new StoreFiles(bytes, files.log(), files.mark()), "run-" + run);
        }
    }

    /** Without a mark nobody knows how far it went; all else holds. */
    @Test
    void open_bytesFlippedInTheLog_tellsWhatIsMissing() throws IOException {
        StoreFiles files = written(false);
        assertTrue(files.log().length > 100 * PAGE);
        for (int run = 0; run < 120; run++) {
            byte[] bytes = files.log().clone();
            bytes[run < 10 ? random.nextInt(32) : random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            long lost = verify(new StoreFiles(files.database(), bytes, files.mark()), "run-" + run);
            assertTrue(lost > 0, "the whole log is needed");
            verifyWithoutMark(new StoreFiles(files.database(), bytes, new byte[0]), run);
        }
    }

    @Test
    void open_logTruncated_tellsWhatIsMissing() throws IOException {
        StoreFiles files = written(false);
        for (int run = 0; run < 20; run++) {
            byte[] bytes = Arrays.copyOf(files.log(), random.nextInt(files.log().length));
            assertTrue(verify(new StoreFiles(files.database(), bytes, files.mark()), "run-" + run) > 0);
        }
    }

    @Test
    void open_headOverwritten_beginsAnewWithWhatCanBeRead() throws IOException {
        StoreFiles files = written(true);
        byte[] bytes = files.database().clone();
        Arrays.fill(bytes, 0, 100, (byte) 'x');
        assertEquals(RECORDS, verify(new StoreFiles(bytes, files.log(), files.mark()), "own"));
        try (Stream<Path> aside = Files.walk(directory.resolve("own"))) {
            assertTrue(aside.anyMatch(path -> path.toString().matches(".*damaged-\\d+/journal.db")));
        }
    }

    @Test
    void open_afterARepair_isQuiet() throws IOException {
        StoreFiles files = written(true);
        byte[] half = Arrays.copyOf(files.database(), files.database().length / 2);
        assertTrue(verify(new StoreFiles(half, files.log(), files.mark()), "own") > 0);
        try (SqliteStore store = Records.open(directory.resolve("own"))) {
            Records.read(store, 0);
            assertFalse(store.damage().any(), store.damage()::text);
        }
    }

    @Test
    void next_damageWhileOpen_isToldAndReadOver() throws IOException {
        StoreFiles files = written(true);
        Path own = directory.resolve("own");
        files.writeTo(own);
        try (SqliteStore store = Records.open(own)) {
            byte[] bytes = files.database().clone();
            int page = bytes.length / PAGE / 2;
            Arrays.fill(bytes, page * PAGE, (page + 3) * PAGE, (byte) 0x5A);
            Files.write(own.resolve("journal.db"), bytes);
            long damaged = Records.damagedIn(Records.read(store, 0), 1, RECORDS);
            assertTrue(damaged > 0 && damaged < RECORDS, "damaged: " + damaged);
            assertEquals(damaged, store.damage().lostRecords());
            Records.read(store, 0);
            assertEquals(damaged, store.damage().lostRecords(), "told once");
        }
    }

    /** 60 commits of 20 records of 200 bytes or so, in the database or in the log. */
    private StoreFiles written(boolean checkpoint) throws IOException {
        Path own = directory.resolve("written");
        try (SqliteStore store = Records.open(own)) {
            Transaction transaction = new Transaction();
            for (int i = 0; i < COMMITS; i++) {
                Records.append(store, transaction, 20);
            }
            if (checkpoint) {
                store.checkpoint();
            }
            StoreFiles files = StoreFiles.of(own);
            return checkpoint ? new StoreFiles(files.database(), new byte[0], files.mark()) : files;
        }
    }

    /** Opens a damaged store, reads it, appends, reads again; returns how many records are damaged. */
    private long verify(StoreFiles files, String name) throws IOException {
        Path own = directory.resolve(name);
        files.writeTo(own);
        String id;
        long damaged;
        try (SqliteStore store = Records.open(own)) {
            id = store.id();
            damaged = Records.damagedIn(Records.read(store, 0), 1, RECORDS);
            assertEquals(damaged > 0, store.damage().any() && store.damage().lostRecords() > 0, store.damage()::text);
            assertEquals(damaged, store.damage().lostRecords(), store.damage()::text);
            Records.append(store, 5);
            assertEquals(RECORDS + 5, store.lastNumber());
        }
        try (SqliteStore store = Records.open(own)) {
            assertEquals(id, store.id());
            List<Range> ranges = Records.read(store, 0);
            assertEquals(damaged, Records.damagedIn(ranges, 1, RECORDS + 5));
            assertFalse(ranges.get(ranges.size() - 1).damaged());
        }
        return damaged;
    }

    private void verifyWithoutMark(StoreFiles files, int run) throws IOException {
        Path own = directory.resolve("unmarked-" + run);
        files.writeTo(own);
        try (SqliteStore store =
                SqliteStore.open(new StoreSettings(own, SyncPolicy.ALWAYS), () -> Records.NOW, StoreMark.boot())) {
            long last = store.lastNumber();
            assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, last));
            // the last commit may be one that was under way when the power failed: nobody can tell
            assertTrue(store.damage().any() || last >= (COMMITS - 2) * 20, "only up to " + last);
        }
    }

    @Test
    void open_logDamagedWithoutAMark_hasANewId() throws IOException {
        StoreFiles files = written(false);
        byte[] bytes = files.log().clone();
        bytes[bytes.length / 2] ^= 1;
        Path own = directory.resolve("own");
        new StoreFiles(files.database(), bytes, new byte[0]).writeTo(own);
        String id;
        try (SqliteStore before = Records.open(directory.resolve("written"))) {
            id = before.id();
        }
        try (SqliteStore store = Records.open(own)) {
            assertNotEquals(id, store.id());
            assertTrue(store.damage().text().contains("commits behind a damaged place"), store.damage()::text);
        }
    }
}
