package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store on a disk that is full, missing, somebody else's or damaged: nothing is invented, nothing is missing without a word. */
@Timeout(120)
class StoreFaultTest {
    private static final int COMMITS = 60;
    private static final int PAGE = Sqlite.PAGE_BYTES;

    @TempDir
    Path directory;

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

    /** A disk of 2 MiB, where the tests may mount one. */
    @Test
    void commit_fullDisk_isRefusedUntilThereIsRoom() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk.toString()) == 0);
        try {
            Path ballast = disk.resolve("ballast");
            try (SqliteStore store = Records.open(disk.resolve("store"))) {
                Records.append(store, 10);
                Files.write(ballast, new byte[1 << 20]);
                StoreException full = assertThrows(StoreException.class, () -> {
                    for (int i = 0; i < 1000; i++) {
                        Records.append(store, 100);
                    }
                });
                assertEquals(StoreException.Cause.DISK_FULL, full.kind(), full::getMessage);
                long last = store.lastNumber();
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, last));
                Files.delete(ballast);
                Records.append(store, 100);
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, last + 100));
            }
            try (SqliteStore store = Records.open(disk.resolve("store"))) {
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, store.lastNumber()));
                assertFalse(store.damage().any());
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        return process.exitValue();
    }

    @Test
    void open_secondProcess_namesTheFirst() throws Exception {
        Process other = new ProcessBuilder(StoreProcess.command(directory)).start();
        try (var numbers = other.inputReader()) {
            assertEquals("open", numbers.readLine());
            StoreException refused = assertThrows(StoreException.class, () -> Records.open(directory));
            assertEquals(StoreException.Cause.LOCKED, refused.kind());
            assertEquals(directory + ": in use by process " + other.pid(), refused.getMessage());
        } finally {
            other.destroyForcibly().waitFor();
        }
        Records.open(directory).close();
    }

    @Test
    void open_bytesFlippedAnywhereInTheDatabase_tellsWhatIsMissing() throws IOException {
        Random random = seeded();
        StoreFiles files = written(true);
        for (int run = 0; run < 120; run++) {
            byte[] bytes = files.database().clone();
            int flips = 1 + random.nextInt(3);
            for (int i = 0; i < flips; i++) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            }
            verify(new StoreFiles(bytes, files.log(), files.mark()), run, COMMITS * 20);
        }
    }

    /** Without a mark nobody knows how far it went; all else holds. */
    @Test
    void open_sectorsOverwritten_tellsWhatIsMissing() throws IOException {
        Random random = seeded();
        StoreFiles files = written(true);
        for (int run = 0; run < 60; run++) {
            byte[] bytes = files.database().clone();
            int at = random.nextInt(bytes.length / 512) * 512;
            byte[] rubbish = new byte[512];
            random.nextBytes(rubbish);
            System.arraycopy(rubbish, 0, bytes, at, 512);
            verify(new StoreFiles(bytes, files.log(), files.mark()), run, COMMITS * 20);
        }
    }

    @Test
    void open_bytesFlippedInTheLog_tellsWhatIsMissing() throws IOException {
        Random random = seeded();
        StoreFiles files = written(false);
        assertTrue(files.log().length > 100 * PAGE);
        for (int run = 0; run < 120; run++) {
            byte[] bytes = files.log().clone();
            bytes[run < 10 ? random.nextInt(32) : random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            long lost = verify(new StoreFiles(files.database(), bytes, files.mark()), run, COMMITS * 20);
            assertTrue(lost > 0, "the whole log is needed");
            verifyWithoutMark(new StoreFiles(files.database(), bytes, new byte[0]), run);
        }
    }

    @Test
    void open_headOverwritten_beginsAnewWithWhatCanBeRead() throws IOException {
        StoreFiles files = written(true);
        byte[] bytes = files.database().clone();
        Arrays.fill(bytes, 0, 100, (byte) 'x');
        assertEquals(COMMITS * 20, verify(new StoreFiles(bytes, files.log(), files.mark()), 0, COMMITS * 20));
        try (Stream<Path> aside = Files.walk(directory.resolve("run-0"))) {
            assertTrue(aside.anyMatch(path -> path.toString().matches(".*damaged-\\d+/journal.db")));
        }
    }

    /** SQLite calls that no damage: the table lacks a column. */
    @Test
    void open_nameOfAColumnDamaged_beginsAnewAndTellsWhatIsMissing() throws IOException {
        StoreFiles files = written(true);
        String text = new String(files.database(), StandardCharsets.ISO_8859_1).replaceFirst("body BLOB", "bodx BLOB");
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(COMMITS * 20, verify(new StoreFiles(bytes, files.log(), files.mark()), 0, COMMITS * 20));
    }

    @Test
    void open_truncatedOrEmpty_tellsWhatIsMissing() throws IOException {
        Random random = seeded();
        StoreFiles files = written(true);
        for (int run = 0; run < 20; run++) {
            int length = run == 0 ? 0 : run == 1 ? 100 : random.nextInt(files.database().length);
            byte[] bytes = Arrays.copyOf(files.database(), length);
            verify(new StoreFiles(bytes, files.log(), files.mark()), run, COMMITS * 20);
        }
    }

    @Test
    void open_logTruncated_tellsWhatIsMissing() throws IOException {
        Random random = seeded();
        StoreFiles files = written(false);
        for (int run = 0; run < 20; run++) {
            byte[] bytes = Arrays.copyOf(files.log(), random.nextInt(files.log().length));
            assertTrue(verify(new StoreFiles(files.database(), bytes, files.mark()), run, COMMITS * 20) > 0);
        }
    }

    @Test
    void open_afterARepair_isQuiet() throws IOException {
        StoreFiles files = written(true);
        byte[] bytes = Arrays.copyOf(files.database(), files.database().length / 2);
        Path own = directory.resolve("run-0");
        long lost = verify(new StoreFiles(bytes, files.log(), files.mark()), 0, COMMITS * 20);
        assertTrue(lost > 0);
        try (SqliteStore store = Records.open(own)) {
            assertFalse(store.damage().any(), store.damage()::text);
            assertEquals(lost, Records.damagedIn(Records.read(store, 0), 1, COMMITS * 20 + 5));
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
            long damaged = Records.damagedIn(Records.read(store, 0), 1, COMMITS * 20);
            assertTrue(damaged > 0 && damaged < COMMITS * 20, "damaged: " + damaged);
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
    private long verify(StoreFiles files, int run, long acknowledged) throws IOException {
        Path own = directory.resolve("run-" + run);
        files.writeTo(own);
        String id;
        long damaged;
        try (SqliteStore store = Records.open(own)) {
            id = store.id();
            damaged = Records.damagedIn(Records.read(store, 0), 1, acknowledged);
            assertEquals(damaged > 0, store.damage().any() && store.damage().lostRecords() > 0, store.damage()::text);
            assertEquals(damaged, store.damage().lostRecords(), store.damage()::text);
            Records.append(store, 5);
            assertEquals(acknowledged + 5, store.lastNumber());
        }
        try (SqliteStore store = Records.open(own)) {
            assertEquals(id, store.id());
            List<Range> ranges = Records.read(store, 0);
            assertEquals(damaged, Records.damagedIn(ranges, 1, acknowledged + 5));
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

    private static Random seeded() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("StoreFaultTest seed " + seed);
        return new Random(seed);
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
