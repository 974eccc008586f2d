package io.heartwheel.wheel;

import io.heartwheel.wheel.Measured.Row;
import io.heartwheel.wheel.Measured.Score;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** The report in Markdown. */
final class Tables {

    private static final String BASE = "netty";

    private final Measured measured;
    private final StringBuilder text = new StringBuilder();

    private Tables(Measured measured) {
        this.measured = measured;
    }

    /** The whole of it; the machine's properties are those that {@link WheelReport} notes. */
    static String of(Measured measured, Properties machine, List<String> images) {
        Tables tables = new Tables(measured);
        tables.head(machine);
        int size = mainSize(measured);
        tables.targets(size);
        for (Operation operation : Operation.values()) {
            tables.table(operation, size, images);
        }
        tables.lines(images);
        return tables.text.toString();
    }

    /** A million, or the most there is below. */
    static int mainSize(Measured measured) {
        return measured.sizes().stream()
                .filter(size -> size <= 1_000_000)
                .reduce((one, next) -> next)
                .orElse(0);
    }

    private void head(Properties machine) {
        line("# The wheel beside its peers");
        line("");
        line(
                "Written by `io.heartwheel.wheel.WheelReport`; do not edit. Each figure with its error (half of JMH's 99.9 % interval"
                        + " over all forks); ratios are to Netty's `HashedWheelTimer` of the same run, more than one being worse than it.");
        line("");
        line("| | |");
        line("|---|---|");
        for (String key : List.of("command", "date", "cpu", "processors", "system", "load")) {
            line("| " + key + " | " + machine.getProperty(key, "unknown") + " |");
        }
        line("| JVM | " + measured.jvm() + " |");
        line("");
        line(
                "Entries are touched in random order. Allocation is `-prof gc`; CPU is that of the whole process, so it holds what"
                        + " is left to other threads and to the collector.");
        line("");
    }

    private void targets(int size) {
        line("## Targets, " + count(size) + " pending");
        line("");
        line("| | measured | target | |");
        line("|---|---:|---:|---|");
        for (Target target : Target.of(measured, size)) {
            String limit = target.limit() < 1
                    ? "0 B"
                    : new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(target.limit())
                            + " " + target.unit();
            line("| " + target.what() + " | "
                    + (target.isMeasured() ? number(target.measured()) + " " + target.unit() : "")
                    + " | " + (target.atLeast() ? "at least " : target.limit() < 1 ? "" : "at most ") + limit + " | "
                    + target.verdict() + " |");
        }
        line("");
    }

    private void table(Operation operation, int mainSize, List<String> images) {
        List<Integer> sizes = measured.sizes().stream()
                .filter(size -> Operation.PEERS.stream()
                        .anyMatch(peer -> operation.row(measured, peer[0], size).isPresent()))
                .toList();
        if (sizes.isEmpty()) {
            return;
        }
        line("## " + operation.title);
        line("");
        line(operation.meaning);
        line("");
        String image = "wheel-" + operation.key + ".svg";
        if (images.contains(image)) {
            line("![" + operation.title + ", " + count(mainSize) + " pending](images/" + image + ")");
            line("");
        }
        for (int size : sizes) {
            line("| " + count(size) + " pending | " + operation.unit + " | ratio |"
                    + (operation.tellsAllocation() ? " B/op | CPU ns/op |" : ""));
            line("|---|---:|---:|" + (operation.tellsAllocation() ? "---:|---:|" : ""));
            for (String[] peer : Operation.PEERS) {
                operation.row(measured, peer[0], size).ifPresent(row -> row(operation, row, peer[1]));
            }
            line("");
        }
    }

    private void row(Operation operation, Row row, String name) {
        Score score = operation.score(measured, row.peer(), row.pending());
        double base = operation.value(measured, BASE, row.pending());
        String bold = row.peer().equals("heartwheel") ? "**" : "";
        line("| " + bold + name + bold + " | " + bold + withError(score) + bold + " | "
                + number(score.value() / base) + " |"
                + (operation.tellsAllocation()
                        ? " " + bytes(row.allocated().value()) + " | "
                                + number(row.cpu().value()) + " |"
                        : ""));
    }

    private void lines(List<String> images) {
        List<String> shown =
                images.stream().filter(image -> image.endsWith("-by-size.svg")).toList();
        if (!shown.isEmpty()) {
            line("## By number of pending entries");
            line("");
            shown.forEach(image -> line("![" + image.replace(".svg", "") + "](images/" + image + ")"));
            line("");
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    /** The name of a peer. */
    static String name(String key) {
        return Operation.PEERS.stream()
                .filter(peer -> peer[0].equals(key))
                .findFirst()
                .map(peer -> peer[1])
                .orElse(key);
    }

    static String count(int count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String withError(Score score) {
        return number(score.value()) + (Double.isNaN(score.error()) ? "" : " ± " + number(score.error()));
    }

    private static String bytes(double bytes) {
        return Double.isNaN(bytes) ? "" : bytes < 0.05 ? "0" : number(bytes);
    }

    /** With about three digits; nothing for NaN. */
    static String number(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "";
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 0.095 || size == 0 ? "%.2f" : "%.4f", value);
    }
}
