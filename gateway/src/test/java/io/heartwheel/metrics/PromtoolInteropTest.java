package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What Prometheus's own linter says of the page. Needs promtool (Debian: package prometheus). */
@Tag("interop")
class PromtoolInteropTest {
    private record Outcome(int exit, String output) {}

    @Test
    void checkMetrics_wholePage_isClean() throws Exception {
        GatewayMetrics metrics = new GatewayMetrics("1.2.3", "epoll");
        GatewayMetricsTest.watchAll(metrics);
        metrics.established("heartwheel");
        metrics.closed("heartwheel", CloseReason.HEARTBEAT_TIMEOUT, true, 1_000_000, 90_000_000_000L);
        metrics.turned(1, 0, 1_000);

        Outcome outcome = check(metrics.render(null).body());

        assertEquals("", outcome.output.strip());
        assertEquals(0, outcome.exit);
    }

    /** The check above proves something only if it can fail. */
    @Test
    void checkMetrics_counterWithoutTotal_isReported() throws Exception {
        Outcome outcome = check("# HELP a_b Help.\n# TYPE a_b counter\na_b 1\n".getBytes(StandardCharsets.UTF_8));

        assertNotEquals(0, outcome.exit);
        assertTrue(outcome.output.contains("_total"), outcome.output);
    }

    private static Outcome check(byte[] page) throws Exception {
        Process process = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(page);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "promtool: still running");
        return new Outcome(process.exitValue(), output);
    }
}
