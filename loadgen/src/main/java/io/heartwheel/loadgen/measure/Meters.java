package io.heartwheel.loadgen.measure;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a process and its machine have used since they started, as far as it can be known. */
public interface Meters {

    /** CPU time of all threads, nanoseconds; 0 when the platform does not say. */
    long cpuNanos();

    /** Time spent collecting garbage, nanoseconds, to the millisecond. */
    long collectorNanos();

    /** Time all processors of the machine were busy, nanoseconds, to some 10 ms; 0 when the platform does not say. */
    long machineBusyNanos();

    /** Processors of the machine. */
    int processors();

    /** This process. Any thread; each reading is a system call or a few. */
    static Meters ofThisProcess() {
        return new Meters() {
            @Override
            public long cpuNanos() {
                OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
                return system instanceof com.sun.management.OperatingSystemMXBean here
                        ? Math.max(0, here.getProcessCpuTime())
                        : 0;
            }

            @Override
            public long collectorNanos() {
                long millis = 0;
                for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                    millis += Math.max(0, collector.getCollectionTime());
                }
                return millis * 1_000_000L;
            }

            @Override
            public int processors() {
                return Runtime.getRuntime().availableProcessors();
            }

            @Override
            public long machineBusyNanos() {
                return busyNanos(Path.of("/proc/stat"));
            }
        };
    }

    /** Reads the first line of a {@code /proc/stat}: user, nice, system, (idle, iowait,) irq, softirq, steal. */
    private static long busyNanos(Path stat) {
        try (Stream<String> lines = Files.lines(stat)) {
            String[] fields = lines.findFirst().orElse("").split(" +");
            long ticks = 0;
            for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
                ticks += i < fields.length ? Long.parseLong(fields[i]) : 0;
            }
            return ticks * 10_000_000L;
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
