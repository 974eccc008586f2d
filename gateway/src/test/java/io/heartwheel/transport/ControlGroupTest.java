package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.transport.MemoryReading.Area;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both versions of control groups, as the kernel shows them. */
class ControlGroupTest {
    @TempDir
    Path directory;

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private Area read() {
        return ControlGroup.find(directory.resolve("membership"), directory.resolve("mount"))
                .read();
    }

    @Test
    void second_limits_theLeastOnTheWayToTheRootCounts() throws Exception {
        write("membership", "0::/system.slice/heartwheel.service\n");
        write("mount/system.slice/heartwheel.service/memory.max", "max\n");
        write("mount/system.slice/heartwheel.service/memory.stat", "anon 4096\nfile 900000\ninactive_file 800000\n");
        write("mount/system.slice/memory.max", "8192\n");
        write("mount/memory.max", "16384\n");
        assertEquals(new Area(4_096, 8_192), read());
    }

    @Test
    void second_noLimit_isUnknown() throws Exception {
        write("membership", "0::/a\n");
        write("mount/a/memory.max", "max\n");
        write("mount/a/memory.stat", "anon 4096\n");
        assertEquals(Area.UNKNOWN, read());
    }

    @Test
    void second_pathOfTheHost_isTheMountsOwn() throws Exception {
        write("membership", "0::/docker/0123\n");
        write("mount/memory.max", "1000000\n");
        write("mount/memory.stat", "anon 250000\n");
        assertEquals(new Area(250_000, 1_000_000), read());
    }

    @Test
    void second_pathThatClimbs_staysBelowTheMount() throws Exception {
        write("membership", "0::/../../etc\n");
        write("mount/memory.max", "10\n");
        write("mount/memory.stat", "anon 5\n");
        assertEquals(new Area(5, 10), read());
    }

    @Test
    void first_limit_isTheHierarchys() throws Exception {
        write("membership", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
        write(
                "mount/memory/job/memory.stat",
                "cache 5\nrss 1\nhierarchical_memory_limit 4000\ntotal_cache 100\ntotal_rss 3000\n");
        assertEquals(new Area(3_000, 4_000), read());
    }

    @Test
    void first_noLimit_isUnknown() throws Exception {
        write("membership", "4:memory:/job\n");
        write("mount/memory/job/memory.stat", "hierarchical_memory_limit 9223372036854771712\ntotal_rss 3000\n");
        assertEquals(Area.UNKNOWN, read());
    }

    @Test
    void nothing_toRead_isUnknown() throws Exception {
        assertEquals(Area.UNKNOWN, read());
        write("membership", "0::/\n");
        write("mount/memory.max", "what is this\n");
        write("mount/memory.stat", "anon many\n");
        assertEquals(Area.UNKNOWN, read());
    }

    @Test
    void read_again_seesWhatTheFilesSayNow() throws Exception {
        write("membership", "0::/a\n");
        write("mount/a/memory.max", "8192\n");
        write("mount/a/memory.stat", "anon 4096\n");
        ControlGroup group = ControlGroup.find(directory.resolve("membership"), directory.resolve("mount"));
        assertEquals(new Area(4_096, 8_192), group.read());
        write("mount/a/memory.stat", "anon 5\nfile 1\n");
        write("mount/a/memory.max", "max\n");
        write("mount/memory.max", "100\n");
        assertEquals(new Area(5, 100), group.read());
    }
}
