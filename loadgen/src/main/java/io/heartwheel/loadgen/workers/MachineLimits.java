package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.measure.Proc;
import java.util.stream.Stream;

/**
 * Limits of a machine. A figure that could not be read is 0 and stands in nobody's way.
 *
 * @param openFilesSoft RLIMIT_NOFILE as it is; a Java process raises it to the hard limit by itself
 * @param openFilesHard as far as a process may raise it
 * @param cores processors
 * @param portFirst lowest port the kernel gives to connections
 * @param portLast highest
 * @param availableBytes memory that could be allocated without swapping
 * @param openFilesCeiling fs.nr_open: as far as root may raise the hard limit
 * @param openFilesOfAll fs.file-max less what is open now
 * @param trackedConnections net.netfilter.nf_conntrack_max, 0 where connections are not tracked
 * @param timeWaitReuse net.ipv4.tcp_tw_reuse: whether a port in TIME_WAIT is given to a new connection; 0 no, 1 yes, 2 on
 *     loopback
 */
public record MachineLimits(
        long openFilesSoft,
        long openFilesHard,
        int cores,
        int portFirst,
        int portLast,
        long availableBytes,
        long openFilesCeiling,
        long openFilesOfAll,
        long trackedConnections,
        int timeWaitReuse) {
    /** Where a process has this many descriptors, no more is known. */
    private static final long UNLIMITED = 1_048_576;

    /** Kernel default of net.ipv4.ip_local_port_range, where it cannot be read. */
    private static final int[] COMMON_PORTS = {32_768, 60_999};

    /** Those of this machine and process. */
    public static MachineLimits ofThisMachine() {
        return read(Proc.ofThisMachine(), Runtime.getRuntime().availableProcessors());
    }

    /** Those that a directory like {@code /proc} tells. */
    static MachineLimits read(Proc proc, int cores) {
        String limits = proc.text("self/limits");
        long[] ports = numbers(proc, "net/ipv4/ip_local_port_range");
        long[] open = numbers(proc, "fs/file-nr");
        long[] reuse = numbers(proc, "net/ipv4/tcp_tw_reuse");
        long fileMax = number(proc, "fs/file-max");
        return new MachineLimits(
                openFiles(limits, 0),
                openFiles(limits, 1),
                cores,
                (int) (ports.length == 2 ? ports[0] : COMMON_PORTS[0]),
                (int) (ports.length == 2 ? ports[1] : COMMON_PORTS[1]),
                proc.machine().availableBytes(),
                number(proc, "fs/nr_open"),
                open.length > 0 ? Math.max(1, fileMax - open[0]) : fileMax,
                trackedConnections(proc),
                reuse.length == 0 ? 1 : (int) reuse[0]);
    }

    /** Ports there are for connections from one address to one address and port. */
    public int ports() {
        return portLast - portFirst + 1;
    }

    /** The descriptors a Java process may have. */
    public long descriptors() {
        long known = Math.max(openFilesSoft, openFilesHard);
        return known == 0 ? UNLIMITED : known;
    }

    /** Soft (0) or hard (1) limit in a {@code /proc/PID/limits}; "unlimited" is what the kernel allows at all. */
    static long openFiles(String limits, int column) {
        String name = "Max open files";
        return limits.lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .map(line -> line.substring(name.length()).strip().split(" +", -1))
                .filter(columns -> columns.length > column)
                .map(columns -> columns[column])
                .map(files -> files.equals("unlimited") ? UNLIMITED : Proc.number(files, Long.MAX_VALUE))
                .orElse(0L);
    }

    /** A kernel that could track but has tracked nobody has no rule that makes it. */
    private static long trackedConnections(Proc proc) {
        return number(proc, "net/netfilter/nf_conntrack_count") == 0
                ? 0
                : number(proc, "net/netfilter/nf_conntrack_max");
    }

    private static long number(Proc proc, String key) {
        long[] all = numbers(proc, key);
        return all.length == 0 ? 0 : all[0];
    }

    private static long[] numbers(Proc proc, String key) {
        String text = proc.text("sys/" + key).strip();
        return text.isEmpty()
                ? new long[0]
                : Stream.of(text.split("\\s+", -1))
                        // fs.file-max is larger than a long on some kernels: as good as no limit.
                        .mapToLong(number -> Proc.number(number, Long.MAX_VALUE))
                        .toArray();
    }
}
