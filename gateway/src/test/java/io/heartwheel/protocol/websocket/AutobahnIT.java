package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.app.Gateway;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import me.normanmaurer.maven.autobahntestsuite.AutobahnTestSuite;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.python.util.jython;

/**
 * The Autobahn fuzzing client against a gateway that echoes, plain mode, over loopback: framing, control frames, reserved bits, opcodes,
 * fragmentation, UTF-8, close handling, automatic fragmentation. Every case has to be passed, every expected case has to be there.
 */
@Tag("timed")
@Isolated
class AutobahnIT {
    private static final String AGENT = "heartwheel";
    private static final List<String> SECTIONS = List.of("1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*");
    private static final int CASES = 247;
    private static final Set<String> PASSED = Set.of("OK", "NON-STRICT", "INFORMATIONAL");

    /** The suite in its own words; arguments: address, directory of reports, sections. */
    private static final String SCRIPT = String.join(
            "\n",
            "import sys",
            "from autobahntestsuite import wstest",
            "servers = [{'agent': '" + AGENT + "', 'url': sys.argv[1], 'options': {'version': 18}}]",
            "wstest.start({'mode': 'fuzzingclient'}, {'failByDrop': False, 'outdir': sys.argv[2],",
            "    'servers': servers, 'cases': sys.argv[3:], 'exclude-cases': []})");

    private static final Path REPORTS = Path.of("target", "autobahn").toAbsolutePath();
    private static final Path OUTPUT = REPORTS.resolve("output.txt");
    private static final Duration LIMIT = Duration.ofMinutes(8);

    @Test
    void plain_everyCase_isPassed() throws Exception {
        Files.createDirectories(REPORTS);
        Gateway gateway = Gateway.start(config());
        try {
            int port = gateway.ports().get("websocket").getPort();
            String url = "ws://127.0.0.1:" + port + "/ws?device=autobahn";
            JsonNode cases = fuzz(url, SECTIONS);
            assertEquals(CASES, cases.size(), "cases run");
            Map<String, String> failures = failures(cases);
            if (!failures.isEmpty()) {
                // the suite ends most cases itself after a second: who failed on a busy machine is asked once more
                System.out.println("autobahn, once more: " + failures);
                failures = failures(fuzz(url, failures.keySet()));
            }
            assertEquals(Map.of(), failures, () -> "see " + REPORTS);
        } finally {
            gateway.shutdown();
            gateway.awaitTermination();
        }
    }

    /** In a process without us: Python's {@code io} would be taken for our package. */
    private static JsonNode fuzz(String url, Collection<String> cases) throws Exception {
        Path index = REPORTS.resolve("index.json");
        Files.deleteIfExists(index);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                jarOf(jython.class) + File.pathSeparator + jarOf(AutobahnTestSuite.class),
                jython.class.getName(),
                "-c",
                SCRIPT,
                url,
                REPORTS.toString()));
        command.addAll(cases);
        Process suite = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(OUTPUT.toFile())
                .start();
        try {
            assertTrue(suite.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), () -> "not done in " + LIMIT);
            assertEquals(0, suite.exitValue(), () -> "see " + OUTPUT);
        } finally {
            suite.destroyForcibly();
        }
        return new ObjectMapper().readTree(index.toFile()).get(AGENT);
    }

    private static String jarOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    private static Map<String, String> failures(JsonNode cases) {
        Map<String, String> failures = new TreeMap<>();
        cases.properties().forEach(each -> {
            String behavior = each.getValue().get("behavior").asText();
            String close = each.getValue().get("behaviorClose").asText();
            if (!PASSED.contains(behavior) || !PASSED.contains(close)) {
                failures.put(each.getKey(), behavior + ", close " + close);
            }
        });
        return failures;
    }

    private static LoadedConfig config() throws Exception {
        return ConfigLoader.read(
                null,
                Map.of(
                        "heartwheel.listeners.tcp.enabled", "false",
                        "heartwheel.listeners.websocket.bind", "127.0.0.1:0",
                        "heartwheel.admin.enabled", "false",
                        "heartwheel.sink.kind", "echo",
                        "heartwheel.protocol.max-payload", "1MiB",
                        "heartwheel.transport.write-watermark.high", "4MiB"),
                Map.of());
    }
}
