package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Proc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of a machine, read from a directory like {@code /proc}. */
final class MachineLimitsTest {

    private static final String LIMITS =
            """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             96365                96365                processes
            Max open files            1024                 20000                files
            Max locked memory         8388608              8388608              bytes
            """;

    @TempDir
    private Path proc;

    private void write(String name, String text) throws IOException {
        Path file = proc.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void read_everyFile_isTaken() throws IOException {
        write("self/limits", LIMITS);
        write("sys/net/ipv4/ip_local_port_range", "10000\t65535\n");
        write("sys/fs/file-nr", "1200\t0\t2466183\n");
        write("sys/fs/file-max", "2466183\n");
        write("sys/fs/nr_open", "1048576\n");
        write("sys/net/netfilter/nf_conntrack_max", "262144\n");
        write("sys/net/netfilter/nf_conntrack_count", "12\n");
        write("sys/net/ipv4/tcp_tw_reuse", "2\n");
        write("meminfo", "MemAvailable:   100 kB\n");
        assertEquals(
                new MachineLimits(1_024, 20_000, 2, 10_000, 65_535, 102_400, 1_048_576, 2_464_983, 262_144, 2),
                MachineLimits.read(new Proc(proc), 2));
        assertEquals(55_536, MachineLimits.read(new Proc(proc), 2).ports());
    }

    @Test
    void read_nothingThere_isNotKnownAndStandsInNobodysWay() {
        MachineLimits limits = MachineLimits.read(new Proc(proc), 4);
        assertEquals(new MachineLimits(0, 0, 4, 32_768, 60_999, 0, 0, 0, 0, 1), limits);
        assertEquals(1_048_576, limits.descriptors());
    }

    @Test
    void openFiles_unlimitedOrHuge_isANumber() throws IOException {
        assertEquals(
                1_048_576,
                MachineLimits.openFiles("Max open files            unlimited            unlimited     files", 1));
        assertEquals(0, MachineLimits.openFiles("Max open", 0));
        write("sys/fs/file-max", "9223372036854775808\n");
        assertEquals(Long.MAX_VALUE, MachineLimits.read(new Proc(proc), 1).openFilesOfAll());
    }

    @Test
    void ofThisMachine_linux_isKnown() {
        MachineLimits limits = MachineLimits.ofThisMachine();
        assertTrue(limits.openFilesHard() > 0 && limits.ports() > 0 && limits.availableBytes() > 0, limits::toString);
    }
}
