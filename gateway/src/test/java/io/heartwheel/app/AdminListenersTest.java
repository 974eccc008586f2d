package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.HashedToken;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole gateway whose admin listener is open to others than this machine, and its listener for monitors. */
class AdminListenersTest {
    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void gateway_adminBeyondLoopback_asksForTokensAndReloadsThem() throws Exception {
        Path tokens = directory.resolve("tokens");
        write(tokens, "first-token");
        Path file = Files.writeString(
                directory.resolve("gateway.conf"),
                """
                heartwheel {
                  listeners.tcp { bind = "127.0.0.1:0" }
                  transport { event-loops = 1, kind = nio, max-connections = 100 }
                  sink.kind = none
                  shutdown.drain = 0s
                  admin { bind = "0.0.0.0:0", tokens-file = "%s", monitor { enabled = true, bind = "127.0.0.1:0" } }
                  ports-file = "%s"
                }
                """
                        .formatted(tokens, directory.resolve("ports")));
        LoadedConfig.Source source = () -> ConfigLoader.read(file, Map.of(), Map.of());
        Gateway gateway = Gateway.start(source.read(), source, Supervisor.none());
        try {
            int admin = port(gateway, "admin");
            int monitor = port(gateway, "monitor");
            assertTrue(Files.readString(directory.resolve("ports")).contains("monitor=127.0.0.1:" + monitor));

            assertEquals(200, status(admin, "GET", "/readyz", null));
            assertEquals(401, status(admin, "GET", "/metrics", null));
            assertEquals(200, status(admin, "GET", "/metrics", "first-token"));
            assertEquals(200, status(monitor, "GET", "/metrics", null));
            assertEquals(404, status(monitor, "GET", "/v1/devices", null));

            write(tokens, "second-token");
            assertEquals(200, status(admin, "POST", "/v1/reload", "first-token"));
            assertEquals(401, status(admin, "GET", "/metrics", "first-token"));
            assertEquals(200, status(admin, "GET", "/metrics", "second-token"));

            Files.writeString(tokens, "broken");
            assertFalse(gateway.reload().applied());
            assertEquals(200, status(admin, "GET", "/metrics", "second-token"));
        } finally {
            gateway.shutdown();
            gateway.awaitTermination();
        }
    }

    private static void write(Path file, String token) throws Exception {
        Files.writeString(
                file, "ops read,send,operate " + HashedToken.of(token.getBytes(StandardCharsets.US_ASCII)) + "\n");
    }

    private static int port(Gateway gateway, String listener) {
        InetSocketAddress address = gateway.ports().get(listener);
        return address.getPort();
    }

    private int status(int port, String method, String target, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
