package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Opinion of Prometheus's own tool on a run's page. Needs promtool (Debian: package prometheus). */
@Tag("interop")
final class PromtoolInteropTest {

    @Test
    void checkMetrics_pageOfARun_isClean() throws Exception {
        byte[] page;
        try (MetricsServer server = new MetricsServer(MetricsServer.address("0"))) {
            server.publish(new Snapshot("hold", 10_000, Results.sample(50), Results.rich().ledger, ""));
            URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/metrics");
            try (InputStream in = uri.toURL().openStream()) {
                page = in.readAllBytes();
            }
        }
        assertTrue(new String(page, StandardCharsets.UTF_8).contains("heartwheel_loadgen_lateness_seconds_bucket"));
        Process process = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(page);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "promtool: still running");
        assertEquals("", output.strip());
        assertEquals(0, process.exitValue());
    }
}
