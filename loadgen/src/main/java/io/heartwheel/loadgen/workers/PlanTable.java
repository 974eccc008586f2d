package io.heartwheel.loadgen.workers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Table that shows a division to people. Stateless. */
final class PlanTable {

    private PlanTable() {}

    static List<String> of(LoadDivision division) {
        List<String> lines = new ArrayList<>();
        lines.add("plan     " + workers(division));
        lines.add("because  " + reason(division));
        lines.add("sources  " + sources(division));
        if (division.load().gateways().count() > 0) {
            lines.add("gateways " + gateways(division.load()));
        }
        lines.add("memory   " + memory(division));
        division.problems().forEach(problem -> lines.add(problem.line()));
        return lines;
    }

    private static String workers(LoadDivision division) {
        List<WorkerShare> shares = division.shares();
        WorkerShare first = shares.get(0);
        int least = shares.get(shares.size() - 1).slice().count();
        int most = first.slice().count();
        return text(
                "%,d devices: %s of %s, %s each, heap %,d MiB each",
                division.load().count(),
                many(shares.size(), "worker"),
                least == most ? text("%,d", most) : text("%,d or %,d", most, least),
                many(first.loops(), "loop"),
                first.heapBytes() >> 20);
    }

    private static String reason(LoadDivision division) {
        MachineLimits limits = division.limits();
        double sockets = division.load().socketsPerDevice();
        return text(
                "a process may open %,d files, %,d of them for devices%s; %s",
                limits.descriptors(),
                Math.max(0, LoadDivision.filesForDevices(limits)),
                sockets == 1 ? "" : text(" of %.2f sockets", sockets),
                many(limits.cores(), "processor"));
    }

    private static String sources(LoadDivision division) {
        List<WorkerShare> shares = division.shares();
        List<String> first = shares.get(0).sources();
        long perSource = SourcePlan.perSource(division.limits().ports());
        if (first.isEmpty()) {
            return text("the kernel's choice, planned for %,d connections to one target", perSource);
        }
        List<String> last = shares.get(shares.size() - 1).sources();
        boolean shared = shares.size() > 1 && first.equals(last);
        String from = first.get(0);
        String to = last.get(last.size() - 1);
        return text(
                "%s, %s; at most %,d connections from one to one target",
                from.equals(to) ? from : from + ".." + to,
                shared ? "shared by all workers" : first.size() + " for each worker",
                perSource);
    }

    private static String gateways(Load load) {
        int count = load.gateways().count();
        String each = count == 1 ? "" : text(", about %,d devices each", load.count() / count);
        return many(count, "gateway") + " started here" + each;
    }

    /** What nobody of is left out. */
    private static String memory(LoadDivision division) {
        ExpectedMemory memory =
                ExpectedMemory.of(division.load(), division.shares().size());
        StringJoiner parts = new StringJoiner(", ");
        part(parts, memory.workerBytes() == 0 ? "generator" : "coordinator", memory.coordinatorBytes());
        part(parts, "workers", memory.workerBytes());
        part(parts, "gateways", memory.gatewayBytes());
        part(parts, "kernel", memory.kernelBytes());
        long available = division.limits().availableBytes();
        return text("about %,d MiB: %s; available %,d MiB", memory.totalBytes() >> 20, parts, available >> 20);
    }

    private static void part(StringJoiner parts, String name, long bytes) {
        if (bytes > 0) {
            parts.add(text("%s %,d", name, bytes >> 20));
        }
    }

    private static String many(long count, String noun) {
        return text("%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
