package io.heartwheel.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of the fuzzer, in a process of its own. What it learned is kept below {@code target/fuzz}, and the next run of the tree goes on from there. */
final class Jazzer {
    private static final Path WORK = Path.of("target", "fuzz");
    /** Netty is passed over unless it is named. */
    private static final String INSTRUMENTED =
            "io.heartwheel.**:io.netty.handler.codec.http.**:com.typesafe.config.impl.**";

    private static final Pattern PROGRESS = Pattern.compile("(?m)^#([0-9]+)\\s+.*?cov: ([0-9]+) ft: ([0-9]+)");
    private static final Pattern RUNS = Pattern.compile("Done ([0-9]+) runs");

    private final Path directory;
    private final String className;

    Jazzer(String name, String className) throws IOException {
        directory = Files.createDirectories(WORK.resolve(name));
        this.className = className;
        Files.createDirectories(directory.resolve("corpus"));
    }

    /**
     * End of a run.
     *
     * @param exit 0: nothing was found
     * @param runs inputs that were tried
     * @param coverage edges of the code that were gone along
     */
    record Outcome(int exit, long runs, long coverage, String log) {}

    /**
     * Runs for so long.
     *
     * @param seeds where inputs lie; what is found is written to the first, to be kept
     */
    Outcome run(int seconds, Path seeds) throws Exception {
        Path log = directory.resolve("log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx768m", "-Xss2m", "-cp", System.getProperty("java.class.path")));
        command.add("com.code_intelligence.jazzer.Jazzer");
        command.addAll(List.of("--target_class=" + className, "--instrumentation_includes=" + INSTRUMENTED));
        command.add("--reproducer_path=" + directory.toAbsolutePath());
        command.add("-artifact_prefix=" + seeds.toAbsolutePath() + "/");
        command.addAll(List.of("-max_total_time=" + seconds, "-timeout=120", "-rss_limit_mb=0", "-max_len=4096"));
        command.addAll(List.of(directory.resolve("corpus").toString(), seeds.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            int exit = process.waitFor();
            String text = Files.readString(log, StandardCharsets.ISO_8859_1);
            return new Outcome(exit, last(RUNS, text, 1), last(PROGRESS, text, 2), text);
        } finally {
            process.destroyForcibly();
        }
    }

    private static long last(Pattern pattern, String text, int group) {
        long last = 0;
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            last = Long.parseLong(matcher.group(group));
        }
        return last;
    }
}
