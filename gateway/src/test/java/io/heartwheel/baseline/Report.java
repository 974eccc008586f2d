package io.heartwheel.baseline;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What came out, for people and for programs. */
final class Report {
    /** The targets: at most this share of what the plain baseline needs. */
    private static final double TCP_HEAP_TARGET = 0.70;

    private static final double WS_HEAP_TARGET = 0.65;
    private static final double CPU_TARGET = 0.95;

    private final Stage.Settings settings;
    private final Map<Side, HeapTrial.Result> heap = new EnumMap<>(Side.class);
    private final List<CpuTrial.Result> cpu = new ArrayList<>();
    private final List<MassTrial.Result> mass = new ArrayList<>();
    private final List<TlsTrial.Result> tls = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** One heap target and whether it is met. */
    private record HeapRatio(Side gateway, Side baseline, double target) {}

    private static final List<HeapRatio> HEAP_RATIOS = List.of(
            new HeapRatio(Side.GATEWAY_TCP, Side.BASELINE_TCP, TCP_HEAP_TARGET),
            new HeapRatio(Side.GATEWAY_WS, Side.BASELINE_WS, WS_HEAP_TARGET),
            new HeapRatio(Side.GATEWAY_PLAIN, Side.BASELINE_WS, WS_HEAP_TARGET));

    Report(Stage.Settings settings) {
        this.settings = settings;
    }

    void add(HeapTrial.Result result) {
        heap.put(result.side(), result);
    }

    void add(CpuTrial.Result result) {
        cpu.add(result);
    }

    void add(MassTrial.Result result) {
        mass.add(result);
    }

    void add(TlsTrial.Result result) {
        tls.add(result);
    }

    void failed(Side side, Exception failure) {
        failures.add(side.title + ": " + failure);
        System.err.println("not measured: " + side.title + ": " + failure);
    }

    /** 0 when everything was measured and every heap target is met. */
    int status() {
        boolean met = HEAP_RATIOS.stream().allMatch(ratio -> !isKnown(ratio) || ratio(ratio) <= ratio.target);
        return met && failures.isEmpty() ? 0 : 1;
    }

    private boolean isKnown(HeapRatio ratio) {
        return heap.containsKey(ratio.gateway) && heap.containsKey(ratio.baseline);
    }

    private double ratio(HeapRatio ratio) {
        return heap.get(ratio.gateway).heapBytes() / heap.get(ratio.baseline).heapBytes();
    }

    // ------------------------------------------------------------------ for people

    String text() {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "%nJava %s, %s, %s, %d loops, %d processors, Linux %s",
                Runtime.version(),
                settings.transport(),
                String.join(" ", settings.jvm()),
                settings.loops(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.version"));
        if (!heap.isEmpty()) {
            heapText(text);
        }
        if (!cpu.isEmpty()) {
            cpuText(text);
        }
        mass.forEach(result -> text.append(MassTable.of(result)));
        tls.forEach(result -> text.append(result.text()));
        failures.forEach(failure -> line(text, "NOT MEASURED  %s", failure));
        return text.toString();
    }

    private void heapText(StringBuilder text) {
        line(
                text,
                "%n%-30s %12s %10s %14s %12s",
                "a connection",
                "live heap B",
                "objects",
                "left behind B",
                "outside B");
        for (HeapTrial.Result result : heap.values()) {
            line(
                    text,
                    "%-30s %12.1f %10.2f %14.1f %12.0f",
                    result.side().title,
                    result.heapBytes(),
                    result.objects(),
                    result.leftBytes(),
                    result.outsideBytes());
        }
        line(text, "");
        HEAP_RATIOS.stream().filter(this::isKnown).forEach(ratio -> {
            double value = ratio(ratio);
            line(
                    text,
                    "heap, %s / %s: %.3f, target %.2f: %s",
                    ratio.gateway.title,
                    ratio.baseline.title,
                    value,
                    ratio.target,
                    value <= ratio.target ? "met" : "MISSED");
        });
    }

    private void cpuText(StringBuilder text) {
        line(text, "%n%-30s %10s %10s %10s", "a heartbeat, median", "CPU us", "user us", "kernel us");
        for (CpuTrial.Result result : cpu) {
            cpuLine(text, result.gateway(), result.medianGateway());
            cpuLine(text, result.baseline(), result.medianBaseline());
        }
        line(text, "");
        for (CpuTrial.Result result : cpu) {
            double[] ratios = result.ratios();
            line(
                    text,
                    "CPU, %s / %s: median of %d pairs %.3f (%.3f..%.3f), target %.2f: %s",
                    result.gateway().title,
                    result.baseline().title,
                    ratios.length,
                    result.medianRatio(),
                    ratios[0],
                    ratios[ratios.length - 1],
                    CPU_TARGET,
                    result.medianRatio() <= CPU_TARGET ? "met" : "missed");
        }
    }

    private static void cpuLine(StringBuilder text, Side side, CpuTrial.Cost cost) {
        line(text, "%-30s %10.2f %10.2f %10.2f", side.title, cost.micros(), cost.userMicros(), cost.kernelMicros());
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    // ------------------------------------------------------------------ for programs

    void write(Path file) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("java", Runtime.version().toString());
        all.put("kernel", System.getProperty("os.version"));
        all.put("processors", Runtime.getRuntime().availableProcessors());
        all.put("transport", settings.transport());
        all.put("loops", settings.loops());
        all.put("jvm", settings.jvm());
        all.put("heap", heap.values());
        all.put(
                "heapRatios",
                HEAP_RATIOS.stream().filter(this::isKnown).map(this::json).toList());
        all.put("cpu", cpu.stream().map(Report::json).toList());
        all.put("mass", mass);
        all.put("tls", tls);
        all.put("failures", failures);
        Files.write(
                file,
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(all));
    }

    private Map<String, Object> json(HeapRatio ratio) {
        return Map.of(
                "gateway", ratio.gateway,
                "baseline", ratio.baseline,
                "ratio", ratio(ratio),
                "target", ratio.target,
                "met", ratio(ratio) <= ratio.target);
    }

    private static Map<String, Object> json(CpuTrial.Result result) {
        return Map.of(
                "gateway", result.gateway(),
                "baseline", result.baseline(),
                "pairs", result.pairs(),
                "ratios", result.ratios(),
                "medianRatio", result.medianRatio(),
                "target", CPU_TARGET);
    }
}
