package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Finding.number;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of heap, memory and processors. The figures a connection are those of gateway/docs/benchmarks.md and the README. */
final class MemoryChecks {
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
    private static final Pattern HEAP =
            Pattern.compile("-Xmx(?<size>[0-9]+)(?<unit>[kKmMgG]?)|-XX:MaxRAMPercentage=(?<percent>[0-9.]+)");

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use([A-Za-z0-9]+)GC\\b");
    private static final int SWAPPY = 10;
    private static final int MEBI = 20;

    private final CheckContext context;
    private final Machine machine;
    private final List<Finding> found = new ArrayList<>();
    private final long liveBytes;

    private MemoryChecks(CheckContext context) {
        this.context = context;
        machine = context.machine();
        liveBytes = BASE_BYTES + context.connections() * (HEAP_BYTES + (context.hasTls() ? TLS_HEAP_BYTES : 0));
    }

    static List<Finding> of(CheckContext context) {
        MemoryChecks memory = new MemoryChecks(context);
        memory.heap();
        memory.machine();
        memory.collector();
        memory.swap();
        memory.processors();
        return memory.found;
    }

    private void heap() {
        Optional<String> options = serviceOptions();
        long heap = options.map(this::heapOf).orElseGet(() -> context.probes().heapBytes());
        String what = "heap of " + mebi(heap) + " with the options "
                + (options.isPresent() ? "of the service" : "that doctor was started with") + ", " + mebi(liveBytes)
                + " live for " + number(context.connections()) + " connections, twice that to breathe";
        String size = "-Xmx" + ((2 * liveBytes) >> MEBI) + "m";
        String remedy = "in /etc/default/heartwheel: JAVA_OPTS=" + size
                + options.map(MemoryChecks::withoutHeap).orElse("");
        if (heap < liveBytes) {
            found.add(Finding.fail(what, "the process ends for want of memory before it is full", remedy));
        } else if (heap < 2 * liveBytes) {
            found.add(Finding.warn(what, "collections take more and more of the time as it fills", remedy));
        } else {
            found.add(Finding.ok(what));
        }
    }

    /** What the service starts its Java with, if it says how much heap. */
    private Optional<String> serviceOptions() {
        return context.service().map(Service::javaOptions).filter(options -> HEAP.matcher(options)
                .find());
    }

    private static String withoutHeap(String options) {
        String rest = HEAP.matcher(options).replaceAll("").strip().replaceAll("\\s+", " ");
        return rest.isEmpty() ? "" : " " + rest;
    }

    /** The last word on it, as the JVM takes it. */
    private long heapOf(String options) {
        long bytes = 0;
        Matcher heap = HEAP.matcher(options);
        while (heap.find()) {
            String percent = heap.group("percent");
            if (percent == null) {
                int shift =
                        switch (heap.group("unit").toLowerCase(Locale.ROOT)) {
                            case "k" -> 10;
                            case "m" -> 20;
                            case "g" -> 30;
                            default -> 0;
                        };
                bytes = Machine.number(heap.group("size")) << shift;
            } else {
                bytes = (long) (totalBytes() / 100.0 * Double.parseDouble(percent));
            }
        }
        return bytes;
    }

    private long totalBytes() {
        return machine.memory("MemTotal").orElse(context.probes().heapBytes());
    }

    private void machine() {
        OptionalLong total = machine.memory("MemTotal");
        String group = machine.controlGroup("memory.max", "memory", "memory.limit_in_bytes");
        long limit = Math.min(
                total.orElse(Long.MAX_VALUE), group.matches("[0-9]+") ? Machine.number(group) : Long.MAX_VALUE);
        if (limit == Long.MAX_VALUE) {
            found.add(Finding.ok("how much this machine has is not known"));
            return;
        }
        long need = 2 * liveBytes
                + PROCESS_BYTES
                + context.connections() * (KERNEL_BYTES + (context.hasTls() ? TLS_NATIVE_BYTES : 0));
        String what = mebi(limit) + " in all (machine or control group), " + mebi(need) + " for "
                + number(context.connections()) + " connections: heap, process, kernel";
        found.add(
                need <= limit
                        ? Finding.ok(what)
                        : Finding.fail(
                                what,
                                "the kernel ends the process, or drops packets, before it is full",
                                "more memory, several machines, or transport.max-connections = "
                                        + Math.max(1, context.connections() * limit / need)));
    }

    private void collector() {
        List<String> names = collectors();
        String what = "collector: " + String.join(", ", names);
        boolean all = names.stream().anyMatch(name -> name.equals("Copy") || name.startsWith("PS "));
        boolean wide = names.stream().anyMatch(name -> name.startsWith("ZGC"));
        if (all && 2 * liveBytes > LARGE_HEAP_BYTES) {
            found.add(Finding.warn(
                    what,
                    "a full collection of a heap of gigabytes stops everything for seconds; it is credited, but late",
                    "in JAVA_OPTS of /etc/default/heartwheel, beside what is there: -XX:+UseG1GC"));
        } else if (wide) {
            found.add(Finding.warn(
                    what,
                    "no compressed references: about 750 bytes more a connection",
                    "in JAVA_OPTS of /etc/default/heartwheel, beside what is there: -XX:+UseG1GC"));
        } else {
            found.add(Finding.ok(what));
        }
    }

    /** Of the service, if its options name one, else of this process. */
    private List<String> collectors() {
        Matcher named =
                COLLECTOR.matcher(context.service().map(Service::javaOptions).orElse(""));
        if (!named.find()) {
            return context.probes().collectors();
        }
        return List.of(
                switch (named.group(1)) {
                    case "Serial" -> "Copy";
                    case "Parallel" -> "PS Scavenge";
                    case "Z" -> "ZGC";
                    default -> named.group(1);
                });
    }

    private void swap() {
        long swap = machine.memory("SwapTotal").orElse(0);
        long swappiness = machine.setting("vm.swappiness").orElse(0);
        found.add(
                swap == 0 || swappiness <= SWAPPY
                        ? Finding.ok(swap == 0 ? "no swap" : "swap, hardly used: vm.swappiness = " + swappiness)
                        : Finding.warn(
                                mebi(swap) + " of swap, vm.swappiness = " + swappiness,
                                "a heap in swap makes a collection take seconds",
                                "systemctl edit " + context.unit() + ", in [Service]: MemorySwapMax=0"));
    }

    private void processors() {
        int loops = context.settings().transport().eventLoops();
        int processors = context.probes().processors();
        double quota = quota();
        double may = Math.min(processors, quota);
        String what = processors + " processors"
                + (quota < Double.MAX_VALUE ? String.format(Locale.ROOT, ", %.1f of them by quota", quota) : "");
        found.add(
                loops <= may || loops == 0
                        ? Finding.ok(what)
                        : Finding.warn(
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
