package io.heartwheel.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The decoders under a fuzzer that sees where in the code an input leads, each in a process of its own for its share of {@code fuzz.seconds}. What is
 * found becomes a file among the seeds, which every build feeds from then on; what the fuzzer learned is kept below {@code target/fuzz}.
 */
class FuzzIT {
    private static final int LEAST_SECONDS = 5;
    /** Netty is passed over unless it is named. */
    private static final String INSTRUMENTED =
            "io.heartwheel.**:io.netty.handler.codec.http.**:com.typesafe.config.impl.**";

    private static final Pattern RUNS = Pattern.compile("Done ([1-9][0-9]*) runs");

    static List<Target> targets() throws IOException {
        return Target.all();
    }

    @ParameterizedTest
    @MethodSource("targets")
    @Tag("fuzz")
    void decoder_forItsShare_breaksNoRule(Target target) throws Exception {
        int seconds = Integer.getInteger("heartwheel.fuzz.seconds") / targets().size();
        Path seeds = target.seeds();
        Path work = Path.of("target", "fuzz").resolve(seeds.getFileName()).toAbsolutePath();
        Path corpus = Files.createDirectories(work.resolve("corpus"));
        Path log = work.resolve("log");
        Process jazzer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx768m",
                        "-Xss2m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + target.className(),
                        "--instrumentation_includes=" + INSTRUMENTED,
                        "--reproducer_path=" + work,
                        "-artifact_prefix=" + seeds.toAbsolutePath() + "/",
                        "-max_total_time=" + Math.max(LEAST_SECONDS, seconds),
                        "-timeout=120",
                        "-rss_limit_mb=0",
                        "-max_len=4096",
                        corpus.toString(),
                        seeds.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            int exit = jazzer.waitFor();
            String said = Files.readString(log, StandardCharsets.ISO_8859_1);
            assertEquals(0, exit, said);
            Matcher runs = RUNS.matcher(said);
            assertTrue(runs.find(), said);
            System.out.println("fuzz " + target + ": " + runs.group(1) + " inputs");
        } finally {
            jazzer.destroyForcibly();
        }
    }
}
