package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of the real jar on a terminal that is made narrow, then wide, as {@code script} of util-linux gives one. */
@Tag("timed")
final class TerminalIT {

    private static final int NARROW = 44;
    private static final int WIDE = 150;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path directory;

    @Test
    void demo_terminalMadeWiderMeanwhile_lineAndTableFitBoth() throws Exception {
        Path log = directory.resolve("seen");
        String run = String.format(
                "tty; stty cols %d rows 40; exec env --default-signal=INT '%s' -XX:TieredStopAtLevel=1"
                        + " -XX:+UseSerialGC -Djava.io.tmpdir='%s' -jar '%s' demo --gateway-jar='%s'"
                        + " --gateway-java=-Xmx128m --clients=60 --duration=9 --interval=1500 --contract=slack=2s --seed=7",
                NARROW,
                Path.of(System.getProperty("java.home"), "bin", "java"),
                directory,
                System.getProperty("heartwheel.loadgen.jar"),
                System.getProperty("heartwheel.gateway.jar"));
        Process script = new ProcessBuilder(
                        "script", "--quiet", "--flush", "--return", "--command", run, log.toString())
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectOutput(directory.resolve("copy").toFile())
                .redirectErrorStream(true)
                .start();
        try {
            await(log, text -> text.contains("observing"));
            String tty = seen(log)
                    .lines()
                    .filter(line -> line.startsWith("/dev/"))
                    .findFirst()
                    .orElseThrow();
            assertEquals(
                    0,
                    new ProcessBuilder("stty", "-F", tty, "cols", String.valueOf(WIDE))
                            .start()
                            .waitFor());
            assertTrue(script.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS), () -> seen(log));
            String all = seen(log);
            // PASS, or INCONCLUSIVE where the machine was too slow
            assertTrue(List.of(0, 3).contains(script.exitValue()), all);
            List<String> lines =
                    all.lines().filter(line -> !line.startsWith("Script ")).toList();
            int wider = 0;
            while (lines.get(wider).length() < NARROW) {
                wider++;
            }
            // The first line that is too wide for the narrow terminal is one of how it stands: they followed while the
            // run
            // lasted.
            assertTrue(lines.get(wider).startsWith("["), lines.get(wider));
            assertTrue(lines.stream().allMatch(line -> line.length() < WIDE), all);
            assertTrue(wider > 20 && lines.contains("-".repeat(100)), all);
        } finally {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
    }

    /** What the terminal was sent, less the codes that move its cursor. */
    private static String seen(Path log) {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
                    .replace("\r", "");
        } catch (IOException e) {
            return "";
        }
    }

    private static void await(Path log, Predicate<String> when) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!when.test(seen(log))) {
            assertTrue(System.nanoTime() - until < 0, () -> seen(log));
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
