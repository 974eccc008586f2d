package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.admin.ReloadReport;
import io.heartwheel.config.ConfigException;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.metrics.GatewayMetrics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A good configuration is gone by, a bad one changes nothing. */
class ReloaderTest {
    private final Map<String, String> said = new HashMap<>();
    private final List<GatewaySettings> applied = new ArrayList<>();
    private final GatewayMetrics metrics = new GatewayMetrics("0.1.0", "nio");
    private List<String> unusable = List.of();
    private Reloader reloader;

    private LoadedConfig read() throws ConfigException {
        return ConfigLoader.read(null, said, Map.of());
    }

    @BeforeEach
    void start() throws Exception {
        reloader = new Reloader(
                read(),
                this::read,
                fresh -> {
                    if (unusable.isEmpty()) {
                        applied.add(fresh);
                    }
                    return unusable;
                },
                metrics.reloads());
    }

    private String page() {
        return new String(metrics.render(null).body(), StandardCharsets.UTF_8);
    }

    @Test
    void reload_goodChange_isInForce() {
        said.put("heartwheel.heartbeat.grace", "2");
        said.put("heartwheel.wheel.tick", "20ms");

        ReloadReport report = reloader.reload();

        assertEquals("1 change in force; 1 change waits for a restart", report.text());
        assertEquals(2.0, applied.get(0).liveness().heartbeat().grace());
        assertEquals(10, applied.get(0).wheel().tick().toMillis());
        assertTrue(page().contains("heartwheel_reloads_total{outcome=\"applied\",} 1.0"), this::page);
        assertTrue(page().contains("heartwheel_reload_waiting_changes 1.0"), this::page);
    }

    @Test
    void reload_again_tellsOnlyWhatStillWaits() {
        said.put("heartwheel.heartbeat.grace", "2");
        said.put("heartwheel.wheel.tick", "20ms");
        reloader.reload();

        ReloadReport report = reloader.reload();

        assertEquals(List.of(), report.taken());
        assertEquals(List.of("wheel.tick = 20ms (in force: 10ms)"), report.waiting());
    }

    @Test
    void reload_mistakes_areAllToldAndNothingIsApplied() {
        said.put("heartwheel.heartbeat.grace", "99");
        said.put("heartwheel.sink.queue", "1");

        ReloadReport report = reloader.reload();

        assertFalse(report.applied());
        assertEquals(2, report.problems().size(), report::toString);
        assertEquals("refused, nothing has changed: 2 mistakes", report.text());
        assertEquals(List.of(), applied);
        assertTrue(page().contains("heartwheel_reloads_total{outcome=\"refused\",} 1.0"), this::page);
    }

    @Test
    void reload_whileTheLoopsEnd_isRefused() throws Exception {
        Reloader late = new Reloader(
                read(),
                this::read,
                fresh -> {
                    throw new RejectedExecutionException("ended");
                },
                metrics.reloads());
        assertEquals(List.of("the gateway is ending"), late.reload().problems());
    }

    @Test
    void reload_unusable_staysAsItWasAndIsTriedAgain() {
        said.put("heartwheel.heartbeat.grace", "2");
        unusable = List.of("listeners.tcp.tls: certificate a.pem with key b.pem cannot be used");
        assertEquals(unusable, reloader.reload().problems());

        unusable = List.of();
        assertEquals(List.of("heartbeat.grace = 2 (was 1.5)"), reloader.reload().taken());
    }
}
