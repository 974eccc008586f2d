package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenDescriptorsTest {
    @TempDir
    private Path scratch;

    @Test
    void count_whereTheDirectoryTells_listsNothing() throws Exception {
        Path telling = Files.write(scratch.resolve("fd"), new byte[123]);
        assertEquals(123, count(telling, () -> fail("listed")));
    }

    @Test
    void count_whereTheDirectoryDoesNotTell_isListedOrAllThereMayBe() throws Exception {
        Path silent = Files.createFile(scratch.resolve("fd"));
        assertEquals(77, count(silent, () -> 77));
        assertEquals(78, count(scratch.resolve("none"), () -> 78));
        LongSupplier none = () -> {
            throw new InternalError("Unable to open directory /proc/self/fd");
        };
        assertEquals(1_000, count(silent, none));
    }

    private static long count(Path directory, LongSupplier list) {
        return new OpenDescriptors(directory, list, () -> 1_000).count();
    }

    @Test
    void count_ofThisProcess_isSome() {
        UnixOperatingSystemMXBean process = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        assertTrue(OpenDescriptors.of(process).count() > 3);
    }
}
