package io.heartwheel.loadgen.swarm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A division for people. Stateless. */
final class PlanTable {

    private PlanTable() {}

    static List<String> of(Division division) {
        List<String> lines = new ArrayList<>();
        lines.add(line("plan", workers(division)));
        lines.add(line("because", reason(division)));
        lines.add(line("sources", sources(division)));
        lines.add(line("memory", memory(division)));
        division.obstacles().forEach(obstacle -> lines.add(obstacle.line()));
        return lines;
    }

    private static String line(String name, String text) {
        return String.format(Locale.ROOT, "%-9s%s", name, text);
    }

    private static String workers(Division division) {
        List<Share> shares = division.shares();
        Share first = shares.get(0);
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

    private static String reason(Division division) {
        Limits limits = division.limits();
        double sockets = division.load().socketsPerDevice();
        return String.format(
                Locale.ROOT,
                "a process may open %,d files, %,d of them for devices%s; %s",
                limits.descriptors(),
                Math.max(0, Division.filesForDevices(limits)),
                sockets == 1 ? "" : String.format(Locale.ROOT, " of %.2f sockets", sockets),
                many(limits.cores(), "processor"));
    }

    private static String sources(Division division) {
        List<Share> shares = division.shares();
        List<String> first = shares.get(0).sources();
        long perSource = Sourcing.perSource(division.limits().ports());
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

    private static String memory(Division division) {
        List<Share> shares = division.shares();
        long heapBytes = shares.get(0).heapBytes();
        Limits limits = division.limits();
        Sourcing sourcing = new Sourcing(null, 0, true, 1);
        Survey survey = new Survey(division.load(), limits, shares.size(), heapBytes, sourcing);
        return String.format(
                Locale.ROOT,
                "up to %,d MiB: heaps %,d, processes %,d, kernel %,d; available %,d MiB",
                survey.memoryBytes() >> 20,
                (shares.size() * heapBytes) >> 20,
                (shares.size() * Survey.PROCESS_BYTES) >> 20,
                survey.kernelBytes() >> 20,
                limits.availableBytes() >> 20);
    }

    private static String many(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }
}
