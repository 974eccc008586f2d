package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenDescriptorsTest {
    @TempDir
    private Path scratch;

    @Test
    void count_whereTheDirectoryTells_listsNothing() throws Exception {
        Path telling = Files.write(scratch.resolve("fd"), new byte[123]);
        OpenDescriptors descriptors = new OpenDescriptors(
                telling,
                () -> {
                    throw new AssertionError("listed");
                },
                () -> 1_000);
        assertEquals(123, descriptors.count());
    }

    @Test
    void count_whereTheDirectoryDoesNotTell_isListed() throws Exception {
        Path silent = Files.createFile(scratch.resolve("fd"));
        assertEquals(77, new OpenDescriptors(silent, () -> 77, () -> 1_000).count());
        assertEquals(78, new OpenDescriptors(scratch.resolve("none"), () -> 78, () -> 1_000).count());
    }

    @Test
    void count_whenNoneIsLeftToLookWith_isAllThereMayBe() throws Exception {
        Path silent = Files.createFile(scratch.resolve("fd"));
        OpenDescriptors descriptors = new OpenDescriptors(
                silent,
                () -> {
                    throw new InternalError("Unable to open directory /proc/self/fd");
                },
                () -> 1_000);
        assertEquals(1_000, descriptors.count());
    }

    @Test
    void count_ofThisProcess_isSome() {
        UnixOperatingSystemMXBean process = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        assertTrue(OpenDescriptors.of(process).count() > 3);
    }
}
