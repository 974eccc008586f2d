package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.log.LogCapture;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartLogTest {
    private static final InetSocketAddress AT = new InetSocketAddress("127.0.0.1", 7090);

    @TempDir
    Path directory;

    private List<String> lines(LoadedConfig config) {
        try (LogCapture log = new LogCapture(StartLog.class)) {
            log.level(Level.INFO);
            StartLog.begin(config);
            StartLog.open(config.settings(), Map.of("admin", AT, "monitor", AT));
            return log.messages();
        }
    }

    private LoadedConfig config(String text, Map<String, String> options) throws Exception {
        Path file = Files.writeString(directory.resolve("gateway.conf"), text);
        return ConfigLoader.read(file, options, Map.of("CONFIG_FORCE_heartwheel_heartbeat_interval", "30s"));
    }

    @Test
    void begin_nothingConfigured_tellsTheDefaults() throws Exception {
        List<String> lines = lines(ConfigLoader.read(null, Map.of(), Map.of()));

        assertTrue(lines.get(0).startsWith("heartwheel-gateway " + Versions.own() + ", java " + Runtime.version()));
        assertEquals(
                List.of(
                        "configuration: built-in defaults",
                        "TLS: no listener for devices has it",
                        "auth: unset, so devices of this machine alone can connect",
                        "events: to standard output",
                        "metrics: http://127.0.0.1:7090/metrics"),
                lines.subList(1, lines.size()));
    }

    @Test
    void open_journalAndOutlets_tellsAFactALine() throws Exception {
        Path drop = Files.createDirectory(directory.resolve("conf.d")).resolve("10-a.conf");
        Files.writeString(drop, "heartwheel.admin.monitor.enabled = true");
        Files.writeString(
                directory.resolve("tokens"),
                "d sha256:12fed70fcd957bbec54253a4ecf79d6a:7deed15059a4d0731e06ccba1c78158e032b4681db904c06aac3781a31cd37e7\n");
        LoadedConfig config = config(
                """
                heartwheel {
                  auth { mode = methods, methods = [tokens], tokens.file = "${d}/tokens" }
                  sink.kind = journal, journal.directory = "${d}/journal"
                  outlets {
                    log { kind = file, file = "${d}/events.jsonl" }
                    hook { kind = webhook, url = "http://127.0.0.1:9/x?key=secret" }
                  }
                }
                """
                        .replace("${d}", directory.toString()),
                Map.of("heartwheel.heartbeat.grace", "2"));

        List<String> lines = lines(config);

        assertEquals(
                List.of(
                        "configuration: " + directory.resolve("gateway.conf") + ", " + drop
                                + ", -Dheartwheel.heartbeat.grace, CONFIG_FORCE_heartwheel_heartbeat_interval",
                        "TLS: no listener for devices has it",
                        "auth: asks tokens",
                        "events: to the journal in " + directory.resolve("journal"),
                        "outlet hook: webhook, http://127.0.0.1:9/x",
                        "outlet log: file, " + directory.resolve("events.jsonl"),
                        "metrics: http://127.0.0.1:7090/metrics, http://127.0.0.1:7090/metrics"),
                lines.subList(1, lines.size()));
    }

    @Test
    void open_outletsWithoutAJournal_warns() throws Exception {
        List<String> lines = lines(config(
                "heartwheel { admin.enabled = false, sink { kind = file, file = \"/tmp/a\" }, outlets.log { kind = file, file = b } }",
                Map.of()));

        assertTrue(lines.contains("outlets deliver nothing: they need sink.kind = journal"), lines::toString);
        assertTrue(lines.contains("events: to the file /tmp/a"), lines::toString);
        assertTrue(lines.contains("metrics: nowhere, admin and admin.monitor are off"), lines::toString);
    }
}
