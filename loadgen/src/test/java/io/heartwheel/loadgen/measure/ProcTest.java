package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readings of {@code /proc}, over text as kernels write it. */
final class ProcTest {

    @TempDir
    private Path compilers;

    private static final long MILLI = 1_000_000L;
    private static final String PROCESS_STAT =
            "77 (java) Z) S 1 77 77 0 -1 4194560 9001 0 3 0 1234 66 5 6 20 0 31 0 812";
    private static final String STAT =
            """
            cpu  1373798 80 90175 918946 3465 7 16533 3313 0 0
            cpu0 684131 14 44746 463017 1464 0 8064 1671 0 0
            """;
    private static final String SOCKSTAT =
            """
            sockets: used 12
            TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 245
            UDP: inuse 0 mem 9
            """;

    @TempDir
    private Path root;

    @Test
    void processCpu_nameWithBlanksAndBrackets_isNotMisread() {
        assertEquals(1_300 * 10 * MILLI, Proc.processCpuNanos(PROCESS_STAT));
    }

    @Test
    void processCpu_brokenText_isZero() {
        assertEquals(0, Proc.processCpuNanos(""));
        assertEquals(0, Proc.processCpuNanos("77 (java) S 1 2"));
        assertEquals(0, Proc.processCpuNanos("77 (java) S 1 77 77 0 -1 4194560 9001 0 3 0 x y 5 6"));
    }

    @Test
    void busy_firstLine_leavesIdleAndWaitingOut() {
        assertEquals((1373798L + 80 + 90175 + 7 + 16533 + 3313) * 10 * MILLI, Proc.busyNanos(STAT));
        assertEquals(3313L * 10 * MILLI, Proc.stolenNanos(STAT));
    }

    @Test
    void busy_oldKernelWithoutSteal_isZeroStolen() {
        assertEquals(0, Proc.stolenNanos("cpu  1 2 3 4 5 6 7\n"));
        assertEquals(19 * 10 * MILLI, Proc.busyNanos("cpu  1 2 3 4 5 6 7\n"));
        assertEquals(0, Proc.busyNanos(""));
    }

    @Test
    void kibibytes_key_isTheWholeWord() {
        String text = "PssX: 9 kB\nPss:                 461 kB\nPss_Dirty:           112 kB\n";
        assertEquals(461, Proc.kibibytes(text, "Pss"));
        assertEquals(112, Proc.kibibytes(text, "Pss_Dirty"));
        assertEquals(0, Proc.kibibytes(text, "Rss"));
    }

    @Test
    void socketPages_tcpLine_isTaken() {
        assertEquals(245, Proc.socketPages(SOCKSTAT));
        assertEquals(0, Proc.socketPages("TCP: inuse 1\n"));
    }

    @Test
    void pageBytes_auxiliaryVector_isFoundOrFourKibibytes() {
        ByteBuffer auxv = ByteBuffer.allocate(48).order(ByteOrder.nativeOrder());
        auxv.putLong(33).putLong(1).putLong(6).putLong(65_536).putLong(0).putLong(0);
        assertEquals(65_536, Proc.pageBytes(auxv.array()));
        assertEquals(4_096, Proc.pageBytes(new byte[0]));
    }

    @Test
    void machine_everyFile_comesTogether() throws IOException {
        Files.writeString(root.resolve("stat"), STAT);
        Files.writeString(root.resolve("meminfo"), "MemAvailable:   100 kB\nSlab:   50 kB\nSUnreclaim:      20 kB\n");
        Files.createDirectories(root.resolve("net"));
        Files.writeString(root.resolve("net/sockstat"), SOCKSTAT);
        Proc.MachineReading machine = new Proc(root).machine();
        assertEquals(new MachineTime(Proc.busyNanos(STAT), Proc.stolenNanos(STAT)), new Proc(root).time());
        assertEquals(102_400, machine.availableBytes());
        assertEquals(20_480 + 245 * 4_096, machine.kernelSocketBytes());
    }

    @Test
    void process_present_isReadAndAbsentIsEmpty() throws IOException {
        Path directory = Files.createDirectories(root.resolve("77"));
        Files.writeString(directory.resolve("stat"), PROCESS_STAT);
        Files.writeString(directory.resolve("status"), "Name: java\nVmRSS:\t  40 kB\n");
        Files.writeString(directory.resolve("smaps_rollup"), "Rss: 40 kB\nPss:   30 kB\n");
        Proc proc = new Proc(root);
        assertEquals(
                new Proc.ProcessReading(77, 13_000 * MILLI, 40_960, 30_720),
                proc.process(77).orElseThrow());
        assertTrue(proc.process(78).isEmpty());
    }

    @Test
    void process_thisOne_hasMemoryAndCpu() {
        Proc.ProcessReading own =
                Proc.ofThisMachine().process(ProcessHandle.current().pid()).orElseThrow();
        assertTrue(own.residentBytes() > 1 << 20, own::toString);
        assertTrue(own.proportionalBytes() > 0 && own.proportionalBytes() <= own.residentBytes() * 2, own::toString);
        assertTrue(own.cpuNanos() > 0, own::toString);
        Usage usage = Meters.ofThisProcess().usage(5);
        assertEquals(5, usage.atNanos());
        assertTrue(usage.cpuNanos() > 0, usage::toString);
    }

    @Test
    void compilerNanos_threadsOfTheCompilers_areAddedUpAndNoOthers() throws Exception {
        String[][] threads = {{"C1 CompilerThre", "7"}, {"C2 CompilerThre", "30"}, {"devices-1-1", "500"}};
        for (int i = 0; i < threads.length; i++) {
            Path thread = Files.createDirectories(compilers.resolve("77/task/" + (100 + i)));
            Files.writeString(thread.resolve("comm"), threads[i][0] + "\n");
            Files.writeString(
                    thread.resolve("stat"),
                    "77 (" + threads[i][0] + ") S 1 1 1 0 -1 0 0 0 0 0 " + threads[i][1] + " 3 0 0 20 0 1 0 5 0 0\n");
        }
        assertEquals(430_000_000L, new Proc(compilers).compilerNanos(77));
        assertEquals(0, new Proc(compilers).compilerNanos(78));
    }
}
