package io.heartwheel.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A comparison for people. Stateless. */
public final class ComparisonTable {

    private static final String FORM = "%1s %-34s %16s %16s %8s";

    private ComparisonTable() {}

    /** The table's lines; an asterisk begins those that differ notably. */
    public static List<String> of(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        comparison.warnings().forEach(warning -> lines.add("warning: " + warning));
        lines.add(line("", "", "A", "B", "B/A"));
        lines.add(line(
                comparison.verdictsDiffer() ? "*" : "",
                "verdict",
                comparison.verdictA().name(),
                comparison.verdictB().name(),
                ""));
        for (Comparison.Row row : comparison.rows()) {
            lines.add(line(row.notable() ? "*" : "", row.name(), text(row, row.a()), text(row, row.b()), ratio(row)));
        }
        long notable =
                comparison.rows().stream().filter(Comparison.Row::notable).count();
        lines.add(String.format(
                Locale.ROOT,
                "%d of %d figures differ by more than %.0f %% (*)",
                notable,
                comparison.rows().size(),
                100 * Comparison.NOTABLE));
        return lines;
    }

    private static String line(String mark, String name, String a, String b, String ratio) {
        return String.format(Locale.ROOT, FORM, mark, name, a, b, ratio).stripTrailing();
    }

    private static String ratio(Comparison.Row row) {
        return Double.isNaN(row.ratio()) ? "-" : String.format(Locale.ROOT, "%.2f", row.ratio());
    }

    /** A row's value with its unit. */
    static String text(Comparison.Row row, double value) {
        return new Figure(row.name(), Figure.Unit.valueOf(row.unit().toUpperCase(Locale.ROOT)), value).text();
    }
}
