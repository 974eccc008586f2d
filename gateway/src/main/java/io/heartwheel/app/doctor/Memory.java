package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Descriptors.number;

import io.heartwheel.transport.ListenerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Whether heap, machine and processors suffice. The figures a connection are those of gateway/docs/benchmarks.md and the README. */
final class Memory {
    private static final String AREA = "memory";
    /** Heap of a quiet TCP connection. */
    private static final long HEAP_BYTES = 1_320;
    /** More of it with TLS on BoringSSL, and beside the heap. */
    private static final long TLS_HEAP_BYTES = 1_500;

    private static final long TLS_NATIVE_BYTES = 11_000;
    /** Kernel memory of a connection. */
    private static final long KERNEL_BYTES = 3_500;
    /** Code, classes, stacks, buffers. */
    private static final long PROCESS_BYTES = 200L << 20;
    /** What the heap holds without any connection. */
    private static final long BASE_BYTES = 32L << 20;

    private static final long LARGE_HEAP_BYTES = 2L << 30;
    private static final int SWAPPY = 10;
    private static final int MEBI = 20;

    private final Patient patient;
    private final Machine machine;
    private final List<Finding> found = new ArrayList<>();
    private final long liveBytes;

    private Memory(Patient patient) {
        this.patient = patient;
        machine = patient.machine();
        liveBytes = BASE_BYTES + patient.connections() * (HEAP_BYTES + (hasTls() ? TLS_HEAP_BYTES : 0));
    }

    static List<Finding> of(Patient patient) {
        Memory memory = new Memory(patient);
        memory.heap();
        memory.machine();
        memory.collector();
        memory.swap();
        memory.processors();
        return memory.found;
    }

    private boolean hasTls() {
        return patient.settings().listeners().stream()
                .map(ListenerSettings::tls)
                .anyMatch(tls -> tls != null);
    }

    private void heap() {
        long heap = patient.probes().heapBytes();
        String what = "heap of " + mebi(heap) + " with the options that doctor was started with, " + mebi(liveBytes)
                + " live for " + number(patient.connections()) + " connections, twice that to breathe";
        String remedy = "JAVA_OPTS in /etc/default/heartwheel: -Xmx" + ((2 * liveBytes) >> MEBI) + "m";
        if (heap < liveBytes) {
            found.add(Finding.fail(AREA, what, "the process ends for want of memory before it is full", remedy));
        } else if (heap < 2 * liveBytes) {
            found.add(Finding.warn(AREA, what, "collections take more and more of the time as it fills", remedy));
        } else {
            found.add(Finding.ok(AREA, what));
        }
    }

    private void machine() {
        OptionalLong total = machine.memory("MemTotal");
        String group = machine.controlGroup("memory.max", "memory", "memory.limit_in_bytes");
        long limit = Math.min(
                total.orElse(Long.MAX_VALUE), group.matches("[0-9]+") ? Machine.number(group) : Long.MAX_VALUE);
        if (limit == Long.MAX_VALUE) {
            found.add(Finding.ok(AREA, "how much this machine has is not known"));
            return;
        }
        long need = 2 * liveBytes
                + PROCESS_BYTES
                + patient.connections() * (KERNEL_BYTES + (hasTls() ? TLS_NATIVE_BYTES : 0));
        String what = mebi(limit) + " in all (machine or control group), " + mebi(need) + " for "
                + number(patient.connections()) + " connections: heap, process, kernel";
        found.add(
                need <= limit
                        ? Finding.ok(AREA, what)
                        : Finding.fail(
                                AREA,
                                what,
                                "the kernel ends the process, or drops packets, before it is full",
                                "more memory, several machines, or transport.max-connections = "
                                        + Math.max(1, patient.connections() * limit / need)));
    }

    private void collector() {
        List<String> names = patient.probes().collectors();
        String what = "collector: " + String.join(", ", names);
        boolean all = names.stream().anyMatch(name -> name.equals("Copy") || name.startsWith("PS "));
        boolean wide = names.stream().anyMatch(name -> name.startsWith("ZGC"));
        if (all && 2 * liveBytes > LARGE_HEAP_BYTES) {
            found.add(Finding.warn(
                    AREA,
                    what,
                    "a full collection of a heap of gigabytes stops everything for seconds; it is credited, but late",
                    "JAVA_OPTS: -XX:+UseG1GC"));
        } else if (wide) {
            found.add(Finding.warn(
                    AREA,
                    what,
                    "no compressed references: about 750 bytes more a connection",
                    "JAVA_OPTS: -XX:+UseG1GC"));
        } else {
            found.add(Finding.ok(AREA, what));
        }
    }

    private void swap() {
        long swap = machine.memory("SwapTotal").orElse(0);
        long swappiness = machine.setting("vm.swappiness").orElse(0);
        found.add(
                swap == 0 || swappiness <= SWAPPY
                        ? Finding.ok(AREA, swap == 0 ? "no swap" : "swap, hardly used: vm.swappiness = " + swappiness)
                        : Finding.warn(
                                AREA,
                                mebi(swap) + " of swap, vm.swappiness = " + swappiness,
                                "a heap in swap makes a collection take seconds",
                                "systemctl edit heartwheel, in [Service]: MemorySwapMax=0"));
    }

    private void processors() {
        int loops = patient.settings().transport().eventLoops();
        int processors = patient.probes().processors();
        double quota = quota();
        double may = Math.min(processors, quota);
        String what = processors + " processors"
                + (quota < Double.MAX_VALUE
                        ? String.format(java.util.Locale.ROOT, ", %.1f of them by quota", quota)
                        : "");
        found.add(
                loops <= may || loops == 0
                        ? Finding.ok(AREA, what)
                        : Finding.warn(
                                AREA,
                                what + ", transport.event-loops = " + loops,
                                "loops wait for each other, and by a quota all stand still together",
                                "transport.event-loops = 0"));
    }

    private double quota() {
        String second = machine.controlGroup("cpu.max", "cpu", "cpu.cfs_quota_us");
        String[] parts = second.split("\\s+", -1);
        long quotaMicros = Machine.number(parts[0]);
        long periodMicros = parts.length == 2
                ? Machine.number(parts[1])
                : Machine.number(machine.controlGroup("cpu.max", "cpu", "cpu.cfs_period_us"));
        return quotaMicros > 0 && periodMicros > 0 ? (double) quotaMicros / periodMicros : Double.MAX_VALUE;
    }

    private static String mebi(long bytes) {
        return number(bytes >> MEBI) + " MiB";
    }
}
