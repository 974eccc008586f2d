package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change counts once, when two looks in a row saw it. */
class WatchedFilesTest {
    @TempDir
    private Path directory;

    private Path file;
    private WatchedFiles watched;

    @BeforeEach
    void watch() throws IOException {
        file = Files.writeString(directory.resolve("a"), "one");
        watched = new WatchedFiles(List.of(file));
    }

    private void assertSettles(boolean... looks) {
        for (boolean each : looks) {
            assertEquals(each, watched.settledChange());
        }
    }

    @Test
    void settledChange_newContent_isToldOnceAtTheSecondLook() throws Exception {
        assertSettles(false);
        Files.writeString(file, "three");
        assertSettles(false, true, false);
    }

    @Test
    void settledChange_whileItIsWritten_waits() throws Exception {
        for (int i = 4; i < 7; i++) {
            Files.writeString(file, "1".repeat(i));
            assertSettles(false);
        }
        assertSettles(true);
    }

    @Test
    void settledChange_sameSizeAndTimeButAnotherFile_isToldAsWell() throws Exception {
        Path other = Files.writeString(directory.resolve("b"), "two");
        Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        assertSettles(false, true);
    }

    @Test
    void settledChange_fileGoneAndBackAsItWas_isNone() throws Exception {
        Path aside = directory.resolve("b");
        Files.move(file, aside);
        assertSettles(false);
        Files.move(aside, file);
        assertSettles(false);
        Files.delete(file);
        assertSettles(false, true);
    }

    @Test
    void change_withoutASecondLook_isToldOnce() throws Exception {
        assertFalse(watched.change());
        Files.writeString(file, "22");
        assertTrue(watched.change());
        assertFalse(watched.change());
        assertSettles(false);
    }
}
