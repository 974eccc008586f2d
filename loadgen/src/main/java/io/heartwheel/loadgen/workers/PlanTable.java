package io.heartwheel.loadgen.workers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** A division for people. Stateless. */
final class PlanTable {

    private PlanTable() {}

    static List<String> of(LoadDivision division) {
        List<String> lines = new ArrayList<>();
        lines.add(line("plan", workers(division)));
        lines.add(line("because", reason(division)));
        lines.add(line("sources", sources(division)));
        if (division.load().gateways().count() > 0) {
            lines.add(line("gateways", gateways(division)));
        }
        lines.add(line("memory", memory(division)));
        division.problems().forEach(problem -> lines.add(problem.line()));
        return lines;
    }

    private static String line(String name, String text) {
        return String.format(Locale.ROOT, "%-9s%s", name, text);
    }

    private static String workers(LoadDivision division) {
        List<WorkerShare> shares = division.shares();
        WorkerShare first = shares.get(0);
        int least = shares.get(shares.size() - 1).slice().count();
        int most = first.slice().count();
        return String.format(
                Locale.ROOT,
                "%,d devices: %s of %s, %s each, heap %,d MiB each",
                division.load().count(),
                many(shares.size(), "worker"),
                least == most
                        ? String.format(Locale.ROOT, "%,d", most)
                        : String.format(Locale.ROOT, "%,d or %,d", most, least),
                many(first.loops(), "loop"),
                first.heapBytes() >> 20);
    }

    private static String reason(LoadDivision division) {
        MachineLimits limits = division.limits();
        double sockets = division.load().socketsPerDevice();
        return String.format(
                Locale.ROOT,
                "a process may open %,d files, %,d of them for devices%s; %s",
                limits.descriptors(),
                Math.max(0, LoadDivision.filesForDevices(limits)),
                sockets == 1 ? "" : String.format(Locale.ROOT, " of %.2f sockets", sockets),
                many(limits.cores(), "processor"));
    }

    private static String sources(LoadDivision division) {
        List<WorkerShare> shares = division.shares();
        List<String> first = shares.get(0).sources();
        long perSource = SourcePlan.perSource(division.limits().ports());
        if (first.isEmpty()) {
            return String.format(
                    Locale.ROOT, "the kernel's choice, planned for %,d connections to one target", perSource);
        }
        List<String> last = shares.get(shares.size() - 1).sources();
        boolean shared = shares.size() > 1 && first.equals(last);
        return String.format(
                Locale.ROOT,
                "%s, %s; at most %,d connections from one to one target",
                range(first.get(0), last.get(last.size() - 1)),
                shared ? "shared by all workers" : first.size() + " for each worker",
                perSource);
    }

    private static String range(String first, String last) {
        return first.equals(last) ? first : first + ".." + last;
    }

    private static String gateways(LoadDivision division) {
        int count = division.load().gateways().count();
        return String.format(
                Locale.ROOT,
                "%s started here%s",
                many(count, "gateway"),
                count == 1
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", about %,d devices each",
                                division.load().count() / count));
    }

    /** What nobody of is left out. */
    private static String memory(LoadDivision division) {
        ExpectedMemory memory =
                ExpectedMemory.of(division.load(), division.shares().size());
        StringJoiner parts = new StringJoiner(", ");
        part(parts, memory.workerBytes() == 0 ? "generator" : "conductor", memory.coordinatorBytes());
        part(parts, "workers", memory.workerBytes());
        part(parts, "gateways", memory.gatewayBytes());
        part(parts, "kernel", memory.kernelBytes());
        return String.format(
                Locale.ROOT,
                "about %,d MiB: %s; available %,d MiB",
                memory.totalBytes() >> 20,
                parts,
                division.limits().availableBytes() >> 20);
    }

    private static void part(StringJoiner parts, String name, long bytes) {
        if (bytes > 0) {
            parts.add(String.format(Locale.ROOT, "%s %,d", name, bytes >> 20));
        }
    }

    private static String many(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }
}
