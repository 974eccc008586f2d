package io.heartwheel.loadgen.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Comparison of two results, figure by figure. A plain value: the table for people and the JSON for machines are both made
 * from it.
 *
 * @param format {@link #FORMAT}
 * @param verdictA of the first
 * @param verdictB of the second
 * @param warnings why the two may not be comparable at all
 * @param rows figures that at least one of them has
 */
public record Comparison(
        String format, RunVerdict verdictA, RunVerdict verdictB, List<String> warnings, List<Row> rows) {

    /** Names this record's JSON. */
    public static final String FORMAT = "heartwheel-loadgen-comparison/1";

    /** Differences above this share of the first are marked. */
    public static final double NOTABLE = 0.10;

    private static final String FORM = "%1s %-34s %16s %16s %8s";
    /** 110 / 100 - 1 is a little more than 0.1 to a computer. */
    private static final double ROUNDING = 1e-9;

    /** What {@code --fail-if-worse} looks at: more is worse in each. */
    static final List<String> GATES =
            List.of("lateness_p99", "round_trip_p99", "memory_bytes_per_connection", "false_kills");

    /**
     * One figure of both.
     *
     * @param unit of both values
     * @param a of the first, NaN when it has none
     * @param b of the second
     * @param ratio b / a; NaN when that is none
     * @param notable whether they differ by more than {@link #NOTABLE}, or only one has it
     */
    public record Row(String name, String unit, double a, double b, double ratio, boolean notable) {

        /** By how much the second is larger, as a share of the first: 0.1 is 10 % more; infinite from nothing to something. */
        double growth() {
            return a == b ? 0 : a == 0 ? Double.POSITIVE_INFINITY : b / a - 1;
        }

        /** A value with its unit. */
        String text(double value) {
            return new Figure(name, Figure.Unit.valueOf(unit.toUpperCase(Locale.ROOT)), value).text();
        }
    }

    /** Lays two results side by side. */
    public static Comparison of(Result first, Result second) {
        int recoveries = Math.max(first.recoveries().size(), second.recoveries().size());
        List<Figure> figuresA = Figure.all(first, recoveries);
        List<Figure> figuresB = Figure.all(second, recoveries);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < figuresA.size(); i++) {
            Figure a = figuresA.get(i);
            Figure b = figuresB.get(i);
            boolean nothing = (!a.known() && !b.known()) || (a.value() == 0 && b.value() == 0);
            if (!nothing || (GATES.contains(a.name()) && a.known())) {
                rows.add(row(a, b));
            }
        }
        return new Comparison(FORMAT, first.verdict(), second.verdict(), warnings(first, second), rows);
    }

    private static Row row(Figure a, Figure b) {
        double ratio = a.value() == b.value() ? 1 : b.value() / a.value();
        boolean both = a.known() && b.known();
        boolean notable = !both || !(Math.abs(ratio - 1) <= NOTABLE + ROUNDING);
        return new Row(
                a.name(),
                a.unit().name().toLowerCase(Locale.ROOT),
                a.value(),
                b.value(),
                Double.isFinite(ratio) ? ratio : Double.NaN,
                notable);
    }

    private static List<String> warnings(Result first, Result second) {
        List<String> warnings = new ArrayList<>();
        differ(warnings, "scenario", first.scenario(), second.scenario());
        differ(warnings, "seed", first.seed(), second.seed());
        differ(warnings, "clients", first.clients(), second.clients());
        differ(warnings, "behaviours", first.clientsByBehaviour(), second.clientsByBehaviour());
        inconclusive(warnings, "A", first);
        inconclusive(warnings, "B", second);
        return warnings;
    }

    private static void differ(List<String> warnings, String what, Object a, Object b) {
        if (!a.equals(b)) {
            warnings.add(
                    what + " differs: A " + Format.printable(a.toString()) + ", B " + Format.printable(b.toString()));
        }
    }

    private static void inconclusive(List<String> warnings, String name, Result result) {
        if (result.generatorWasBottleneck()) {
            warnings.add("in " + name + " the generator was the bottleneck: its timings prove nothing");
        }
    }

    /** Whether the verdicts differ. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean verdictsDiffer() {
        return verdictA != verdictB;
    }

    /**
     * What got worse by more than so much: lateness p99, round trip p99, memory a connection, false kills, or a verdict
     * that became FAIL.
     *
     * @param percent 0 or more
     */
    public List<String> worse(double percent) {
        List<String> worse = new ArrayList<>();
        if (verdictB == RunVerdict.FAIL && verdictA != RunVerdict.FAIL) {
            worse.add("verdict: " + verdictA + " became FAIL");
        }
        for (Row row : gates()) {
            if (row.growth() > percent / 100 + ROUNDING) {
                worse.add(Format.text("%s: %s became %s", row.name(), row.text(row.a()), row.text(row.b())));
            }
        }
        return worse;
    }

    /**
     * Whether the second is acceptable after the first: FAIL when something is {@link #worse}, INCONCLUSIVE when it cannot be
     * told, since a figure is missing on one side or a run proved nothing.
     */
    public RunVerdict judge(double percent) {
        if (!worse(percent).isEmpty()) {
            return RunVerdict.FAIL;
        }
        boolean untold = verdictA == RunVerdict.INCONCLUSIVE
                || verdictB == RunVerdict.INCONCLUSIVE
                || gates().stream().anyMatch(row -> Double.isNaN(row.a()) || Double.isNaN(row.b()));
        return untold ? RunVerdict.INCONCLUSIVE : RunVerdict.PASS;
    }

    private List<Row> gates() {
        return rows.stream().filter(row -> GATES.contains(row.name())).toList();
    }

    /** The table's lines; an asterisk begins those that differ notably. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        warnings.forEach(warning -> lines.add("warning: " + warning));
        lines.add(line("", "", "A", "B", "B/A"));
        lines.add(line(verdictsDiffer() ? "*" : "", "verdict", verdictA.name(), verdictB.name(), ""));
        for (Row row : rows) {
            lines.add(line(row.notable() ? "*" : "", row.name(), row.text(row.a()), row.text(row.b()), ratio(row)));
        }
        long notable = rows.stream().filter(Row::notable).count();
        lines.add(Format.text("%d of %d figures differ by more than %.0f %% (*)", notable, rows.size(), 100 * NOTABLE));
        return lines;
    }

    private static String line(String mark, String name, String a, String b, String ratio) {
        return Format.text(FORM, mark, name, a, b, ratio).stripTrailing();
    }

    private static String ratio(Row row) {
        return Double.isNaN(row.ratio()) ? "-" : Format.text("%.2f", row.ratio());
    }
}
