package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.warmup.WarmUp;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole gateway that was warmed up: it has served nobody. */
@Timeout(60)
class WarmUpTraceTest {
    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void start_warmedUp_hasCountedToldAndKeptNothing() throws Exception {
        Path events = directory.resolve("events");
        Path file = Files.writeString(
                directory.resolve("gateway.conf"),
                """
                heartwheel {
                  listeners { tcp { bind = "127.0.0.1:0" }, websocket { bind = "127.0.0.1:0" } }
                  sink { kind = file, file = "%s" }
                  shutdown.drain = 0s
                  admin.bind = "127.0.0.1:0"
                }
                """
                        .formatted(events));
        LoadedConfig.Source source = () -> ConfigLoader.read(file, Map.of(), Map.of());
        LoadedConfig config = source.read();
        Gateway gateway = Gateway.start(config, source, Supervisor.none(), () -> WarmUp.runWhole(config.settings()));
        try {
            List<String> counted = get(gateway, "/metrics")
                    .lines()
                    .filter(line -> line.matches("heartwheel_\\w+_(total|count)(\\{.*})? .*"))
                    .filter(line -> !line.endsWith(" 0.0") && !line.matches("heartwheel_(log|pause|wheel)_.*"))
                    .toList();
            assertEquals(List.of(), counted);
            assertEmpty("devices", get(gateway, "/v1/devices"));
            assertEmpty("closed", get(gateway, "/v1/closed"));
            assertEquals("", Files.readString(events));
        } finally {
            gateway.shutdown();
            gateway.awaitTermination();
        }
    }

    private static void assertEmpty(String list, String page) {
        assertTrue(page.contains("\"" + list + "\":[]"), page);
    }

    private String get(Gateway gateway, String target) throws Exception {
        int port = gateway.ports().get("admin").getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}
