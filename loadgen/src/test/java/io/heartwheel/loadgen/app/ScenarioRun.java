package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A run of the real jars that has ended: what it printed and its JSON result.
 *
 * @param status exit status
 */
record ScenarioRun(int status, String output, JsonNode result) {

    private static final long PATIENCE_SECONDS = 170;
    /** The machine is shared: only what does not depend on its speed is held against the gateway. */
    private static final String TOLERANT =
            "\ncontract { slack = 2s, pacing-limit = 5s, missed-after = 4s, answer-within = 8s }\nseed = 7\n";

    /** Runs a built-in scenario with its own gateways and other keys laid over it. */
    static ScenarioRun scenario(Path directory, String name, String overlay) throws Exception {
        Path own = directory.resolve(name + ".conf");
        Files.writeString(
                own, Files.readString(Path.of("..", "conf", "scenarios", name + ".conf")) + TOLERANT + overlay);
        return demo(directory, name, List.of("--scenario=" + own));
    }

    /** Runs a built-in scenario, changed, against servers that are there. */
    static ScenarioRun there(Path directory, String name, UnaryOperator<String> changes) throws Exception {
        Path own = directory.resolve(name + ".conf");
        Files.writeString(
                own, changes.apply(Files.readString(Path.of("..", "conf", "scenarios", name + ".conf"))) + TOLERANT);
        return run(directory, name, List.of("run", "--scenario=" + own));
    }

    /** Runs {@code demo} with these options. */
    static ScenarioRun demo(Path directory, String name, List<String> options) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "demo",
                "--gateway-jar=" + System.getProperty("heartwheel.gateway.jar"),
                "--gateway-java=-XX:+UseSerialGC",
                "--gateway-java=-XX:TieredStopAtLevel=1",
                "--gateway-java=-Xmx128m"));
        all.addAll(options);
        return run(directory, name, all);
    }

    private static ScenarioRun run(Path directory, String name, List<String> arguments) throws Exception {
        Path json = directory.resolve(name + ".json");
        Path log = directory.resolve(name + ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory,
                "-jar",
                System.getProperty("heartwheel.loadgen.jar")));
        command.addAll(arguments);
        command.add("--json=" + json);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(log, StandardCharsets.UTF_8);
            assertTrue(ended, () -> name + " did not end:\n" + output);
            assertTrue(
                    Files.isRegularFile(json),
                    () -> name + " left no result, and " + end(process.exitValue()) + ":\n" + output);
            return new ScenarioRun(process.exitValue(), output, new ObjectMapper().readTree(json.toFile()));
        } finally {
            stop(process);
        }
    }

    /** What ended it, which printed to the same file whatever it had to say: the JVM gives the number of a signal and 128 as status. */
    private static String end(int status) {
        String bySignal = status > 128 ? ", signal " + (status - 128) : "";
        return "ended with status " + status + bySignal + " (this machine has killed " + killedForMemory()
                + " processes for want of memory)";
    }

    private static String killedForMemory() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/vmstat"))) {
            return lines.filter(line -> line.startsWith("oom_kill "))
                    .map(line -> line.split(" ")[1])
                    .findFirst()
                    .orElse("?");
        } catch (IOException | UncheckedIOException unknown) {
            return "?";
        }
    }

    private static void stop(Process process) throws InterruptedException, IOException {
        List<ProcessHandle> left = process.descendants().toList();
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        left.forEach(ProcessHandle::destroyForcibly);
    }

    /** It passed, or could not tell because the machine was too slow; nothing speaks against the gateway for certain. */
    ScenarioRun passed() {
        String verdict = result.path("verdict").asText();
        assertTrue(List.of("PASS", "INCONCLUSIVE").contains(verdict), output);
        List<String> excuses = new ArrayList<>();
        boolean doubt = result.path("findings").findValuesAsText("weight").contains("DOUBT");
        result.path("findings").forEach(finding -> {
            String text = finding.path("text").asText();
            switch (finding.path("weight").asText()) {
                case "SOFT" -> {}
                case "DOUBT" -> excuses.add(text);
                case "OWN" -> {
                    assertTrue(text.contains("bottleneck") || text.contains("was late"), output);
                    excuses.add(text);
                }
                case "TIMED" -> assertTrue(doubt, output);
                default -> throw new AssertionError(text + "\n" + output);
            }
        });
        assertTrue(verdict.equals("PASS") || !excuses.isEmpty(), output);
        none("false_kills")
                .none("missed_kills")
                .none("wrong_codes")
                .none("violations")
                .none("unjudged")
                .none("waiting");
        return this;
    }

    long count(String name) {
        return result.path("counts").path(name).asLong();
    }

    ScenarioRun none(String name) {
        return exactly(0, name);
    }

    ScenarioRun exactly(long expected, String name) {
        assertEquals(expected, count(name), () -> name + "\n" + output);
        return this;
    }

    /** Devices that broke their promise; closed after the generator itself was late is another matter. */
    long condemned() {
        return count("condemned") - count("own_faults");
    }

    /** So many broke their promise, and each was closed as it should be. */
    ScenarioRun detected(long wanted) {
        assertEquals(wanted, condemned(), output);
        assertEquals(wanted, count("detected"), output);
        return this;
    }

    ScenarioRun same(String one, String other) {
        assertEquals(count(one), count(other), () -> one + ", " + other + "\n" + output);
        return this;
    }
}
