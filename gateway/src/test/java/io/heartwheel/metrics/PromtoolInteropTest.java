package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Closes;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opinion of Prometheus's own tools on the page and our alerts. Needs promtool (Debian: package prometheus). */
@Tag("interop")
class PromtoolInteropTest {
    private record Outcome(int exit, String output) {}

    /** The commands of operations.md, on the file that Debian's package brings: what is there stays, and ours comes to it. */
    @Test
    void operationsPage_addsToAPrometheusThatIsThere(@TempDir Path scratch) throws Exception {
        String page = Files.readString(Path.of("docs/operations.md"));
        Matcher commands = Pattern.compile(
                        "(?s)# (cp [^\n]*heartwheel-alerts\\.yml\n)# (sed -i\\.before .*?prometheus\\.yml\n)")
                .matcher(page);
        assertTrue(commands.find(), "operations.md has no such commands");
        List<String> before = Files.readAllLines(Path.of("/etc/prometheus/prometheus.yml"));
        Path file = Files.write(scratch.resolve("prometheus.yml"), before);
        String script = (commands.group(1) + commands.group(2))
                .replace("/etc/prometheus/", scratch + "/")
                .replace("/usr/share/doc/heartwheel/examples/", "../conf/");

        Process shell = new ProcessBuilder("sh", "-ec", script).inheritIO().start();

        assertEquals(0, shell.waitFor());
        assertTrue(Files.readAllLines(file).containsAll(before));
        Outcome outcome = promtool(new byte[0], "check", "config", file.toString());
        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(outcome.output.contains("1 rule files found"), outcome.output);
        assertTrue(Files.readString(file).contains("job_name: heartwheel"));
    }

    @Test
    void checkMetrics_wholePage_isClean() throws Exception {
        GatewayMetrics metrics = new GatewayMetrics("1.2.3", "epoll");
        GatewayMetricsTest.watchAll(metrics);
        metrics.established("heartwheel");
        metrics.closed(Closes.of("heartwheel", CloseReason.HEARTBEAT_TIMEOUT, true, 1_000_000, 90_000_000_000L));
        metrics.turned(1, 0, 1_000);

        Outcome outcome = check(metrics.render(null).body());

        assertEquals("", outcome.output.strip());
        assertEquals(0, outcome.exit);
    }

    // ------------------------------------------------------------------ alerts

    @Test
    void checkRules_alerts_areWellFormed() throws Exception {
        Outcome outcome = promtool(new byte[0], "check", "rules", AlertsTest.ALERTS.toString());

        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(outcome.output.contains("SUCCESS"), outcome.output);
    }

    @Test
    void testRules_alerts_fireWhenTheyShould() throws Exception {
        Outcome outcome = promtool(new byte[0], "test", "rules", AlertsTest.CASES.toString());

        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(outcome.output.contains("SUCCESS"), outcome.output);
    }

    // ------------------------------------------------------------------ what else operators are given

    @Test
    void checkConfig_prometheus_isGood() throws Exception {
        Outcome outcome = promtool(new byte[0], "check", "config", "../conf/prometheus.yml");

        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(outcome.output.contains("is valid prometheus config"), outcome.output);
    }

    @Test
    void checkRules_expressionsOfTheDashboard_areAllGood(@TempDir Path directory) throws Exception {
        List<String> expressions = Dashboard.read().expressions();
        Outcome outcome = promtool(
                new byte[0], "check", "rules", rules(directory, expressions).toString());

        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(outcome.output.contains("SUCCESS: " + expressions.size() + " rules found"), outcome.output);
    }

    private static Path rules(Path directory, List<String> expressions) throws Exception {
        StringBuilder rules = new StringBuilder("groups:\n  - name: dashboard\n    rules:\n");
        for (int i = 0; i < expressions.size(); i++) {
            rules.append("      - record: dashboard:expression:number")
                    .append(i)
                    .append("\n        expr: ")
                    .append(new ObjectMapper().writeValueAsString(PromQl.asAsked(expressions.get(i))))
                    .append('\n');
        }
        return Files.writeString(directory.resolve("dashboard.yml"), rules);
    }

    private static Outcome check(byte[] page) throws Exception {
        return promtool(page, "check", "metrics");
    }

    private static Outcome promtool(byte[] input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "promtool: still running");
        return new Outcome(process.exitValue(), output);
    }
}
