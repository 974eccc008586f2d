package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change counts once, when two looks in a row saw it. */
class WatchedFilesTest {
    @TempDir
    private Path directory;

    @Test
    void settledChange_newContent_isToldOnceAtTheSecondLook() throws Exception {
        Path file = Files.writeString(directory.resolve("a"), "one");
        WatchedFiles watched = new WatchedFiles(List.of(file));
        assertFalse(watched.settledChange());
        Files.writeString(file, "three");
        assertFalse(watched.settledChange());
        assertTrue(watched.settledChange());
        assertFalse(watched.settledChange());
    }

    @Test
    void settledChange_whileItIsWritten_waits() throws Exception {
        Path file = Files.writeString(directory.resolve("a"), "1");
        WatchedFiles watched = new WatchedFiles(List.of(file));
        for (int i = 2; i < 5; i++) {
            Files.writeString(file, "1".repeat(i));
            assertFalse(watched.settledChange());
        }
        assertTrue(watched.settledChange());
    }

    @Test
    void settledChange_sameSizeAndTimeButAnotherFile_isToldAsWell() throws Exception {
        Path file = Files.writeString(directory.resolve("a"), "one");
        WatchedFiles watched = new WatchedFiles(List.of(file));
        Path other = Files.writeString(directory.resolve("b"), "two");
        Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        assertFalse(watched.settledChange());
        assertTrue(watched.settledChange());
    }

    @Test
    void settledChange_fileGoneAndBackAsItWas_isNone() throws Exception {
        Path file = Files.writeString(directory.resolve("a"), "one");
        Path aside = directory.resolve("b");
        WatchedFiles watched = new WatchedFiles(List.of(file));
        Files.move(file, aside);
        assertFalse(watched.settledChange());
        Files.move(aside, file);
        assertFalse(watched.settledChange());
        Files.delete(file);
        assertFalse(watched.settledChange());
        assertTrue(watched.settledChange());
    }

    @Test
    void change_withoutASecondLook_isToldOnce() throws Exception {
        Path file = Files.writeString(directory.resolve("a"), "1");
        WatchedFiles watched = new WatchedFiles(List.of(file));
        assertFalse(watched.change());
        Files.writeString(file, "22");
        assertTrue(watched.change());
        assertFalse(watched.change());
        assertFalse(watched.settledChange());
    }
}
