package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Ends of the connections of one kind of device, beside the expected ones.
 *
 * @param of what was to become of them: a {@link ExpectedOutcome}'s label
 * @param expected the code the wire document asks for, {@code none} when they should have stayed, empty when any will do
 * @param rows connections by code, each code with its name
 */
record Closes(String of, String expected, Map<String, Long> rows) {

    /** All tables of closes: silent and live devices first, whether or not any was closed, if there were any. */
    static List<Closes> of(Result result) {
        Map<String, Map<String, Long>> tables = Result.closes(result.tables());
        ResultFigures figures = new ResultFigures(result);
        if (figures.of(Count.CONDEMNED) > 0) {
            tables.putIfAbsent(ExpectedOutcome.SILENT.label(), Map.of());
        }
        tables.putIfAbsent(ExpectedOutcome.LIVE.label(), Map.of());
        Map<String, String> due = Objects.requireNonNullElse(result.expectedCloses(), Map.of());
        List<Closes> all = new ArrayList<>();
        tables.forEach((of, rows) -> all.add(new Closes(of, expected(of, figures.of(Count.LOST), due), named(rows))));
        all.sort(Comparator.comparingInt((Closes closes) -> rank(closes.of())).thenComparing(Closes::of));
        return all;
    }

    private static String expected(String of, long lost, Map<String, String> due) {
        if (of.equals(ExpectedOutcome.LIVE.label())) {
            return lost == 0 ? "none" : "none but " + Format.count(lost) + " lost to what the scenario did";
        }
        return due.getOrDefault(of, "");
    }

    private static int rank(String of) {
        return of.equals(ExpectedOutcome.SILENT.label()) ? 0 : of.equals(ExpectedOutcome.LIVE.label()) ? 1 : 2;
    }

    private static Map<String, Long> named(Map<String, Long> rows) {
        Map<String, Long> named = new TreeMap<>();
        rows.forEach((code, many) -> named.merge(nameOf(code), many, Long::sum));
        return named;
    }

    /** {@code 4001 HEARTBEAT_TIMEOUT} for {@code 4001}; what is no bare code stays as it is. */
    static String nameOf(String code) {
        if (code.isEmpty() || code.length() > 5 || !code.chars().allMatch(Character::isDigit)) {
            return Format.printable(code);
        }
        return GatewayFault.codeText(Integer.parseInt(code));
    }

    /** {@code silent: 30 with 4001 HEARTBEAT_TIMEOUT (expected 4001)}. */
    String line() {
        String seen = rows.isEmpty()
                ? "none"
                : rows.entrySet().stream()
                        .map(row -> Format.count(row.getValue()) + " with " + row.getKey())
                        .collect(Collectors.joining(", "));
        return Format.printable(of) + ": " + seen + (expected.isEmpty() ? "" : " (expected " + expected + ")");
    }
}
