package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.Finding.Grade;
import io.heartwheel.store.SegmentStore;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Doctor on the directories of the journal and of messages. */
class StoreChecksTest {
    @TempDir
    private Path root;

    private Path directory() {
        return root.resolve("journal");
    }

    private FakeMachine bed() {
        return new FakeMachine(root)
                .set("sink.kind", "journal")
                .set("journal.directory", directory().toString());
    }

    private static Finding only(FakeMachine bed, Grade grade) throws Exception {
        List<Finding> bad = FakeMachine.bad(StoreChecks.journal(bed.context(1)));
        assertEquals(1, bad.size(), bad::toString);
        assertEquals(grade, bad.get(0).grade());
        assertFalse(bad.get(0).why().isBlank());
        return bad.get(0);
    }

    private static List<Finding> assertFine(FakeMachine bed) throws Exception {
        List<Finding> findings = StoreChecks.journal(bed.context(1));
        assertEquals(List.of(), FakeMachine.bad(findings));
        return findings;
    }

    private static void says(String text, String part) {
        assertTrue(text.contains(part), text);
    }

    @Test
    void of_noJournal_saysNothing() throws Exception {
        assertEquals(
                List.of(), StoreChecks.journal(bed().set("sink.kind", "file").context(1)));
    }

    @Test
    void of_directoryToBeMade_isFineAndNotMade() throws Exception {
        List<Finding> findings = assertFine(bed());
        says(findings.get(0).what(), "journal: will be made");
        says(findings.get(3).what(), "4 KiB forced to the disk in 2.00 ms");
        assertFalse(Files.exists(directory()));
    }

    @Test
    void of_parentMissing_fails() throws Exception {
        FakeMachine bed = bed().set("journal.directory", root + "/no/journal");
        says(only(bed, Grade.FAIL).remedy(), "install -d -o heartwheel -g heartwheel -m 0750 " + root + "/no");
    }

    @Test
    void of_fileInItsPlace_fails() throws Exception {
        Files.createFile(directory());
        says(only(bed(), Grade.FAIL).what(), "is not a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "nfs4", "overlay"})
    void of_fileSystemThatDoesNotLast_warns(String type) throws Exception {
        FakeMachine bed = bed();
        bed.fileSystem = type;
        says(only(bed, Grade.WARN).what(), "on " + type);
    }

    @Test
    void of_littleRoom_warns() throws Exception {
        says(only(bed().free(500L << 20), Grade.WARN).what(), "500 MiB free, journal.max-bytes = 1,024 MiB");
    }

    @Test
    void of_noRoom_fails() throws Exception {
        says(only(bed().free(1L << 20), Grade.FAIL).remedy(), "journal.max-bytes");
    }

    @Test
    void of_slowDisk_warnsOnlyWhereAcksWait() throws Exception {
        FakeMachine bed = bed();
        bed.forceNanos = OptionalLong.of(40_000_000);
        says(only(bed, Grade.WARN).remedy(), "journal.sync = never");
        assertFine(bed.set("journal.sync", "never"));
    }

    @Test
    void of_nothingKnown_isFine() throws Exception {
        FakeMachine bed = bed();
        bed.fileSystem = "";
        bed.freeBytes = OptionalLong.empty();
        bed.forceNanos = OptionalLong.empty();
        assertFine(bed);
    }

    @Test
    void of_heldByAProcess_namesIt() throws Exception {
        Files.createDirectory(directory());
        Path lock = Files.createFile(directory().resolve("lock"));
        FakeMachine bed = bed().file(
                        "proc/locks",
                        "1: FLOCK  ADVISORY  WRITE 11 fe:00:" + inode(lock) + " 0 EOF\n"
                                + "2: POSIX  ADVISORY  WRITE 12 fe:00:" + (inode(lock) + 1) + " 0 EOF\n"
                                + "3: POSIX  ADVISORY  WRITE 4711 fe:00:" + inode(lock) + " 0 EOF\n");
        List<Finding> findings = assertFine(bed);
        says(findings.get(1).what(), "process 4711 has it");
    }

    private static long inode(Path file) throws Exception {
        return (long) Files.getAttribute(file, "unix:ino");
    }

    /** With the lock of a store of this process, which opening its file would drop. */
    @Test
    void of_journalOpenHere_keepsItsLock() throws Exception {
        StoreSettings settings = new StoreSettings(directory(), StoreSettings.Sync.NEVER, 1 << 20, Duration.ofHours(1));
        try (Store store = SegmentStore.open(settings, () -> 1)) {
            String locks = Files.readString(Path.of("/proc/locks"));
            StoreChecks.journal(new CheckContext(
                    bed().context(1).settings(), Map.of(), 1, new Machine(Path.of("/")), new RealProbes()));
            assertEquals(ours(locks), ours(Files.readString(Path.of("/proc/locks"))));
            assertEquals(0, store.lastNumber());
        }
    }

    private List<String> ours(String locks) throws Exception {
        long inode = inode(directory().resolve("lock"));
        return locks.lines()
                .filter(line -> line.contains(":" + inode + " "))
                .map(line -> line.replaceFirst("^\\d+", ""))
                .toList();
    }

    @Test
    void of_relativeDirectory_isThatOfTheService() throws Exception {
        FakeMachine bed = bed().packaged().set("journal.directory", "events");
        Files.createDirectories(bed.at("var/lib/heartwheel"));
        says(StoreChecks.journal(bed.context(1)).get(0).what(), root + "/var/lib/heartwheel/events: will be made");
    }

    @Test
    void of_instances_looksAtEach() throws Exception {
        FakeMachine bed = bed().packaged()
                .set("journal.directory", "events")
                .file("etc/systemd/system/heartwheel.target.wants/heartwheel@1.service", "")
                .file("etc/systemd/system/heartwheel.target.wants/heartwheel@2.service", "");
        Files.createDirectories(bed.at("var/lib/heartwheel/1"));
        List<Finding> findings = assertFine(bed);
        says(findings.get(0).what(), "/var/lib/heartwheel/1/events: will be made");
        says(findings.get(findings.size() - 1).what(), "systemd makes " + root + "/var/lib/heartwheel/2");
    }

    @Test
    void forceNanos_realDisk_measuresAndLeavesNothing() throws Exception {
        assertTrue(new RealProbes().forceNanos(root).getAsLong() > 0);
        try (Stream<Path> left = Files.list(root)) {
            assertEquals(0, left.count());
        }
        assertTrue(new RealProbes().forceNanos(root.resolve("nowhere")).isEmpty());
    }

    @Test
    void messages_directory_isLookedAtIfThereIsOne() throws Exception {
        assertEquals(List.of(), StoreChecks.messages(bed().context(1)));
        FakeMachine used = bed().set(
                        "messages.directory", root.resolve("messages").toString())
                .set("messages.stored-bytes", "1024GiB");
        List<Finding> found = StoreChecks.messages(used.context(1));
        says(found.get(0).what(), "messages.directory = " + root.resolve("messages") + ": will be made");
        assertTrue(found.stream().anyMatch(each -> each.what().contains("messages.stored-bytes = ")));
        Files.writeString(root.resolve("messages"), "a file");
        says(StoreChecks.messages(used.context(1)).get(0).what(), "is not a directory");
    }
}
