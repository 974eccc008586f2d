package io.heartwheel.wheel;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** Check of the report's calculations, on results made up so that every answer is known. */
final class ReportCheck {

    private static final int SIZE = 1_000_000;

    private ReportCheck() {}

    /** Throws what is wrong. */
    static void run() throws IOException {
        Measured measured = Measured.parse(fixture());
        need("ours", 3, Operation.ACTIVITY.value(measured, "heartwheel", SIZE));
        need("eager activity is rearming", 240, Operation.ACTIVITY.value(measured, "netty", SIZE));
        need("two threads", 13, Operation.PRODUCERS.value(measured, "heartwheel", SIZE));
        need("a figure before a time", 20, Operation.HEAP.value(measured, "heartwheel", SIZE));
        need("CPU in microseconds", 7, Operation.SECOND.value(measured, "heartwheel", SIZE));
        need("a file that comes later wins", 240, Operation.REARM.value(measured, "netty", SIZE));
        needTarget(measured, "a heartbeat: times cheaper than Netty HashedWheelTimer", 80, true);
        needTarget(measured, "activity, times a random store into an array", 1.5, true);
        needTarget(measured, "two producers, times one", 1.3, true);
        needTarget(measured, "bytes an entry", 20, true);
        needTarget(measured, "live heap of a pending entry: times cheaper than Agrona DeadlineTimerWheel", 0.9, false);
        String report = Tables.of(
                measured, new Properties(), List.copyOf(Plots.of(measured).keySet()));
        needText(report, "| Netty HashedWheelTimer | 240 | 1.00 |");
        needText(report, "| **Heartwheel** | **3.00 ± 0.50** | 0.0125 | 0 | 3.10 |");
        needText(report, "| 0.90 x | at least 1 x | **missed** |");
        needText(report, "not measured");
        for (Map.Entry<String, String> plot : Plots.of(measured).entrySet()) {
            if (plot.getValue().contains("NaN") || plot.getValue().contains("Infinity")) {
                throw new AssertionError(plot.getKey() + " holds what is no number");
            }
        }
    }

    private static void need(String what, double wanted, double found) {
        if (!(Math.abs(wanted - found) < 1e-9)) {
            throw new AssertionError(what + ": need " + wanted + ", found " + found);
        }
    }

    private static void needTarget(Measured measured, String what, double wanted, boolean met) {
        Target target = Target.of(measured, SIZE).stream()
                .filter(each -> each.what().equals(what))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no target: " + what));
        need(what, wanted, target.measured());
        if (target.isMet() != met) {
            throw new AssertionError(what + ": " + target.verdict());
        }
    }

    private static void needText(String report, String text) {
        if (!report.contains(text)) {
            throw new AssertionError("the report lacks: " + text + "\n" + report);
        }
    }

    private static String fixture() {
        return "["
                + String.join(
                        ",",
                        result("TouchBenchmark.activity", "floor-slot", 1, 2, "0.1", ""),
                        result(
                                "TouchBenchmark.activity",
                                "heartwheel",
                                1,
                                3,
                                "0.5",
                                metric("cpu", 3.1) + "," + metric("gc.alloc.rate.norm", 1e-4)),
                        result("TouchBenchmark.rearm", "heartwheel", 1, 10, "\"NaN\"", ""),
                        result("TouchBenchmark.rearm", "heartwheel", 2, 13, "1", ""),
                        result("TouchBenchmark.rearm", "netty", 1, 999, "1", ""),
                        result("TouchBenchmark.rearm", "netty", 1, 240, "\"NaN\"", ""),
                        result("SecondBenchmark.simulatedSecond", "heartwheel", 1, 9, "1", metric("cpu", 7_000)),
                        result("HeapBenchmark.bytes", "heartwheel", 1, 800, "1", metric("figure", 20)),
                        result("HeapBenchmark.bytes", "agrona", 1, 700, "1", metric("figure", 18)))
                + "]";
    }

    private static String result(
            String benchmark, String peer, int threads, double score, String error, String secondary) {
        return String.format(
                Locale.ROOT,
                """
                {"benchmark": "io.heartwheel.wheel.%s", "threads": %d, "vmName": "a", "vmVersion": "b",
                 "params": {"peer": "%s", "pending": "%d"},
                 "primaryMetric": {"score": %f, "scoreError": %s}, "secondaryMetrics": {%s}}
                """,
                benchmark,
                threads,
                peer,
                SIZE,
                score,
                error,
                secondary);
    }

    private static String metric(String name, double score) {
        return String.format(Locale.ROOT, "\"%s\": {\"score\": %f, \"scoreError\": \"NaN\"}", name, score);
    }
}
