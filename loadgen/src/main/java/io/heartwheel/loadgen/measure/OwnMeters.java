package io.heartwheel.loadgen.measure;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** This process, by its own virtual machine and {@code /proc}. Any thread. */
record OwnMeters(Proc proc) implements Meters {

    private static final long MILLI = 1_000_000L;

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
        return millis * MILLI;
    }

    @Override
    public MachineTime machineTime() {
        return proc.time();
    }

    @Override
    public int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** The kernel since its start, and its time namespace: CLOCK_MONOTONIC is one of both. */
    @Override
    public String clockName() {
        String boot = proc.text("sys/kernel/random/boot_id").strip();
        return boot.isEmpty() ? "" : boot + " " + proc.link("self/ns/time");
    }
}
