package io.heartwheel.loadgen.measure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of what Linux tells of processes and of the machine in {@code /proc}. Each reading opens a few small files: tens of
 * microseconds, but for {@link #proportionalBytes}, which walks a process's page tables (milliseconds). Stateless; any
 * thread. What cannot be read is 0 or empty, never a failure: a figure that is missing must not end a run.
 *
 * <p>Source: proc(5).
 */
public final class Proc {

    /** USER_HZ is 100 on every Linux architecture Java runs on, whatever the kernel's own HZ. */
    private static final long TICK_NANOS = 10_000_000L;

    private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");
    private static final long KIB = 1_024L;
    private static final int MOST_BYTES = 65_536;
    private static final int AUXV_PAGE_SIZE = 6;
    private static final long COMMON_PAGE_BYTES = 4_096L;

    private final Path root;

    /** Reads below this directory instead of {@code /proc}: for tests. */
    public Proc(Path root) {
        this.root = root;
    }

    /** The machine's own. */
    public static Proc ofThisMachine() {
        return new Proc(Path.of("/proc"));
    }

    /**
     * One process.
     *
     * @param cpuNanos CPU time of all its threads, to 10 ms
     * @param residentBytes resident memory, shared pages in full
     * @param proportionalBytes resident memory, each shared page divided by those who share it
     */
    public record ProcessReading(long pid, long cpuNanos, long residentBytes, long proportionalBytes) {}

    /**
     * The machine's memory.
     *
     * @param availableBytes what could be allocated without swapping
     * @param unreclaimableSlabBytes kernel objects, among them all sockets
     * @param socketBufferBytes what lies in TCP sockets
     */
    public record MachineReading(long availableBytes, long unreclaimableSlabBytes, long socketBufferBytes) {

        /** What the kernel holds for sockets, and for other things: worth something only as a difference of two. */
        public long kernelSocketBytes() {
            return unreclaimableSlabBytes + socketBufferBytes;
        }
    }

    /** A process by its number; empty when there is none (any more). */
    public Optional<ProcessReading> process(long pid) {
        String stat = text(pid + "/stat");
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ProcessReading(
                pid, processCpuNanos(stat), kibibytes(text(pid + "/status"), "VmRSS") * KIB, proportionalBytes(pid)));
    }

    /**
     * CPU time that a process's virtual machine has spent on compiling, as far as the threads that did it are still there:
     * 0 of any other process.
     */
    public long compilerNanos(long pid) {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(root.resolve(pid + "/task"))) {
            for (Path thread : threads) {
                String name = pid + "/task/" + thread.getFileName();
                if (COMPILER.matcher(text(name + "/comm")).lookingAt()) {
                    String stat = text(name + "/stat");
                    sum += stat.isEmpty() ? 0 : processCpuNanos(stat);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return 0;
        }
        return sum;
    }

    /** Proportional set size of a process, bytes; 0 when it may not be looked at. */
    public long proportionalBytes(long pid) {
        return kibibytes(text(pid + "/smaps_rollup"), "Pss") * KIB;
    }

    /** What the machine's processors have done: one file. */
    public MachineTime time() {
        String stat = text("stat");
        return new MachineTime(busyNanos(stat), stolenNanos(stat));
    }

    /** The machine's memory. */
    public MachineReading machine() {
        String memory = text("meminfo");
        return new MachineReading(
                kibibytes(memory, "MemAvailable") * KIB,
                kibibytes(memory, "SUnreclaim") * KIB,
                socketPages(text("net/sockstat")) * pageBytes());
    }

    private long pageBytes() {
        try {
            return pageBytes(Files.readAllBytes(root.resolve("self/auxv")));
        } catch (IOException e) {
            return COMMON_PAGE_BYTES;
        }
    }

    /** A file below {@code /proc}, its first 64 KiB; empty when it cannot be read. */
    public String text(String file) {
        // In one read: a sysctl file answers only the first one, and Files.readString begins with a single byte.
        try (InputStream in = Files.newInputStream(root.resolve(file))) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            // The process is gone, or this kernel has no such file, or not for us: "not known", as the class comment
            // says.
            return "";
        }
    }

    /** What a link below {@code /proc} points to; empty when it cannot be read. */
    String link(String file) {
        try {
            return Files.readSymbolicLink(root.resolve(file)).toString();
        } catch (IOException | UnsupportedOperationException e) {
            // As above: not known.
            return "";
        }
    }

    /** CPU time in a {@code /proc/PID/stat}: fields 14 and 15. The name in field 2 may hold blanks and brackets. */
    static long processCpuNanos(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" +", -1);
        return fields.length < 13 ? 0 : (number(fields[11], 0) + number(fields[12], 0)) * TICK_NANOS;
    }

    /** The first line of a {@code /proc/stat}: user, nice, system, (idle, iowait,) irq, softirq, steal. */
    static long busyNanos(String stat) {
        String[] fields = firstLine(stat);
        long ticks = 0;
        for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
            ticks += i < fields.length ? number(fields[i], 0) : 0;
        }
        return ticks * TICK_NANOS;
    }

    /** The eighth figure of the same line. */
    static long stolenNanos(String stat) {
        String[] fields = firstLine(stat);
        return fields.length > 8 ? number(fields[8], 0) * TICK_NANOS : 0;
    }

    private static String[] firstLine(String stat) {
        return stat.lines().findFirst().orElse("").split(" +", -1);
    }

    /** The value of a line like {@code MemAvailable:   123 kB}; 0 when there is none. */
    static long kibibytes(String text, String key) {
        return first(text, "(?m)^" + key + ":\\s*([0-9]+)");
    }

    /** Pages behind {@code mem} in the TCP line of a {@code /proc/net/sockstat}. */
    static long socketPages(String sockstat) {
        return first(sockstat, "(?m)^TCP:.* mem ([0-9]+)");
    }

    private static long first(String text, String form) {
        Matcher found = Pattern.compile(form).matcher(text);
        return found.find() ? number(found.group(1), 0) : 0;
    }

    /** Page size in an auxiliary vector: pairs of native longs, key and value. */
    static long pageBytes(byte[] auxv) {
        ByteBuffer pairs = ByteBuffer.wrap(auxv).order(ByteOrder.nativeOrder());
        while (pairs.remaining() >= 2 * Long.BYTES) {
            long key = pairs.getLong();
            long value = pairs.getLong();
            if (key == AUXV_PAGE_SIZE) {
                return value;
            }
        }
        return COMMON_PAGE_BYTES;
    }

    /** A whole number in a text of the machine's, or another where it is none. */
    public static long number(String text, long otherwise) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
