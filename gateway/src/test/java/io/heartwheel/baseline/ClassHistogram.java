package io.heartwheel.baseline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The live objects of a process by class, as {@code jcmd PID GC.class_histogram} tells them after a full collection: exact, not sampled.
 *
 * @param cells by class name
 */
record ClassHistogram(Map<String, Cell> cells) {
    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(-?\\d+)\\s+(-?\\d+)\\s+(\\S+).*");
    /** Lambdas and hidden classes bear an address. */
    private static final Pattern ADDRESS = Pattern.compile("(/0x[0-9a-f]+|\\+0x[0-9a-f]+)");

    /** How many objects and how many bytes. */
    record Cell(long instances, long bytes) {
        Cell plus(Cell other, int sign) {
            return new Cell(instances + sign * other.instances, bytes + sign * other.bytes);
        }
    }

    /** Objects of one class for one connection. */
    record Share(String type, double instances, double bytes) {}

    static ClassHistogram parse(String text) {
        Map<String, Cell> cells = new HashMap<>();
        text.lines().map(LINE::matcher).filter(Matcher::matches).forEach(line -> {
            String type = ADDRESS.matcher(line.group(3)).replaceAll("");
            cells.merge(
                    type,
                    new Cell(Long.parseLong(line.group(1)), Long.parseLong(line.group(2))),
                    (a, b) -> a.plus(b, 1));
        });
        return new ClassHistogram(cells);
    }

    long bytes() {
        return cells.values().stream().mapToLong(Cell::bytes).sum();
    }

    long instances() {
        return cells.values().stream().mapToLong(Cell::instances).sum();
    }

    /** What has come since, by connection, the largest first; what is less than a twentieth of a byte is left out. */
    List<Share> growth(ClassHistogram before, int connections) {
        List<Share> shares = new ArrayList<>();
        TreeSet<String> types = new TreeSet<>(cells.keySet());
        types.addAll(before.cells.keySet());
        Cell none = new Cell(0, 0);
        for (String type : types) {
            Cell grown = cells.getOrDefault(type, none).plus(before.cells.getOrDefault(type, none), -1);
            double bytes = (double) grown.bytes / connections;
            if (Math.abs(bytes) >= 0.05) {
                shares.add(new Share(type, (double) grown.instances / connections, bytes));
            }
        }
        shares.sort(Comparator.comparingDouble(Share::bytes).reversed());
        return shares;
    }

    static String table(List<Share> shares) {
        return shares.stream()
                .map(share ->
                        String.format(Locale.ROOT, "%9.2f  %8.3f  %s", share.bytes(), share.instances(), share.type()))
                .collect(Collectors.joining("\n", "    bytes  objects  class, for each connection\n", "\n"));
    }
}
