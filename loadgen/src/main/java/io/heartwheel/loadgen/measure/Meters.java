package io.heartwheel.loadgen.measure;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** What a process has used since it started, as far as it can know itself. */
public interface Meters {

    /** CPU time of all threads, nanoseconds; 0 when the platform does not say. */
    long cpuNanos();

    /** Time spent collecting garbage, nanoseconds, to the millisecond. */
    long collectorNanos();

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
        };
    }
}
