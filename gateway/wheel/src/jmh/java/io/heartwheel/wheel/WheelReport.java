package io.heartwheel.wheel;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.RunnerException;

/**
 * The wheel beside its peers: runs the comparison and writes its report. From the root of the project, after packaging with the profile {@code
 * bench}:
 *
 * <pre>
 *   java -cp gateway/wheel/target/benchmarks.jar io.heartwheel.wheel.WheelReport
 *
 *   (nothing)         the whole, about 45 minutes
 *   --ten-million     the other sizes, 100,000 and ten million, about 20 minutes more; needs 13 GiB
 *   --quick           everything once, small and short; its report goes to gateway/wheel/target/quick
 *   --only TEXT       with one of the above: just the benchmarks whose name contains the text
 *   --from FILE...    no run: the report from these results; the last file wins where two hold the same
 *   --check           no run: whether the report's arithmetic is right, on results made up for it
 * </pre>
 *
 * <p>Results are kept as JMH's JSON in {@code gateway/wheel/target/wheel-benchmarks.json} (and {@code -ten-million.json}) after each benchmark, beside
 * them the machine in {@code .properties}. The report holds both files if both are there: {@code gateway/docs/benchmarks-wheel.md} and plots in
 * {@code gateway/docs/images}.
 */
public final class WheelReport {

    private static final Path TARGET = Path.of("gateway", "wheel", "target");
    private static final Path QUICK = TARGET.resolve("quick");
    private static final Path DOCS = Path.of("gateway", "docs");
    private static final String MAIN = "wheel-benchmarks.json";
    private static final String MORE = "wheel-benchmarks-ten-million.json";

    private WheelReport() {}

    /** See the class. */
    public static void main(String[] args) throws IOException, RunnerException {
        List<String> arguments = List.of(args);
        int from = arguments.indexOf("--from");
        int only = arguments.indexOf("--only");
        String filter = only >= 0 ? arguments.get(only + 1) : "";
        if (arguments.contains("--check")) {
            ReportCheck.run();
            print("the report's arithmetic is right");
        } else if (from >= 0) {
            List<Path> files = arguments.subList(from + 1, arguments.size()).stream()
                    .map(Path::of)
                    .toList();
            write(files, DOCS);
        } else if (arguments.contains("--quick")) {
            measure(Comparison.quick(), filter, QUICK.resolve(MAIN), arguments, true);
            write(List.of(QUICK.resolve(MAIN)), QUICK);
        } else if (arguments.contains("--ten-million")) {
            measure(Comparison.tenMillion(), filter, TARGET.resolve(MORE), arguments, false);
            write(kept(), DOCS);
        } else if (arguments.isEmpty() || only == 0) {
            measure(Comparison.whole(), filter, TARGET.resolve(MAIN), arguments, false);
            write(kept(), DOCS);
        } else {
            throw new IllegalArgumentException(
                    arguments + ": need --quick, --ten-million, --only TEXT, --from FILE..., --check, or nothing");
        }
    }

    private static List<Path> kept() {
        // The main run last: its machine and command head the report, and where both measured, it counts.
        return List.of(TARGET.resolve(MORE), TARGET.resolve(MAIN)).stream()
                .filter(Files::exists)
                .toList();
    }

    private static void measure(
            List<Comparison.Batch> batches, String filter, Path file, List<String> arguments, boolean quick)
            throws IOException, RunnerException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        note(file, arguments);
        List<RunResult> results = new ArrayList<>();
        long start = System.nanoTime();
        for (Comparison.Batch batch : batches) {
            if (!batch.benchmark().contains(filter)) {
                continue;
            }
            print(String.format(
                    Locale.ROOT,
                    "# after %.1f minutes: %s of %s, %s pending, %d threads",
                    (System.nanoTime() - start) / 60e9,
                    batch.benchmark(),
                    batch.peers(),
                    batch.pending(),
                    batch.threads()));
            results.addAll(Comparison.run(batch, quick));
            ResultFormatFactory.getInstance(ResultFormatType.JSON, file.toString())
                    .writeOut(results);
        }
        print(String.format(Locale.ROOT, "# %.1f minutes in all", (System.nanoTime() - start) / 60e9));
    }

    /** Notes beside the results what they cannot tell: when, by which command and on what they were measured. */
    private static void note(Path file, List<String> arguments) throws IOException {
        Properties machine = new Properties();
        String command = "java -cp gateway/wheel/target/benchmarks.jar " + WheelReport.class.getName() + " "
                + String.join(" ", arguments);
        machine.setProperty("command", "`" + command.strip() + "`");
        machine.setProperty(
                "date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
        machine.setProperty("cpu", cpu());
        machine.setProperty("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
        machine.setProperty(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        machine.setProperty(
                "load",
                String.format(
                        Locale.ROOT,
                        "%.2f before the run",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        try (Writer writer = Files.newBufferedWriter(notes(file))) {
            machine.store(writer, null);
        }
    }

    private static Path notes(Path file) {
        return file.resolveSibling(file.getFileName().toString().replaceFirst("\\.json$", "") + ".properties");
    }

    private static String cpu() {
        Path info = Path.of("/proc/cpuinfo");
        try {
            return Files.readAllLines(info).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static void write(List<Path> files, Path docs) throws IOException {
        Measured measured = Measured.read(files);
        Properties machine = notesOf(files);
        Path images = Files.createDirectories(docs.resolve("images"));
        Map<String, String> plots = Plots.of(measured);
        for (Map.Entry<String, String> plot : plots.entrySet()) {
            Files.writeString(images.resolve(plot.getKey()), plot.getValue());
        }
        Path report = docs.resolve("benchmarks-wheel.md");
        Files.writeString(report, Tables.of(measured, machine, List.copyOf(plots.keySet())));
        print("written: " + report + " and " + plots.size() + " plots in " + images);
    }

    /** What is noted beside the files; where they differ, one line each. */
    private static Properties notesOf(List<Path> files) throws IOException {
        Properties all = new Properties();
        for (Path file : files) {
            Path notes = notes(file);
            if (Files.exists(notes)) {
                Properties one = new Properties();
                try (var reader = Files.newBufferedReader(notes)) {
                    one.load(reader);
                }
                one.forEach((key, value) ->
                        all.merge(key, value, (some, more) -> some.equals(more) ? some : some + "<br>" + more));
            }
        }
        return all;
    }

    private static void print(String line) {
        new PrintStream(System.out, true, StandardCharsets.UTF_8).println(line);
    }
}
