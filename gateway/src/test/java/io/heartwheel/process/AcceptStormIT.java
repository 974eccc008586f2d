package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.Gateway;
import io.heartwheel.config.ConfigLoader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections beyond {@code accept-limit}, against a gateway in this process: who is turned away, what it is told, and that nobody else notices. */
class AcceptStormIT {
    private static final String GREEDY = "127.0.7.7";
    private static final int BURST = 30;
    private static final int DEVICES = 10;
    private static final int SHED = 100;

    @TempDir
    private Path directory;

    private Gateway gateway;
    private final List<WireClient> devices = new ArrayList<>();

    private void start(String kind) throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        Path file = Files.writeString(
                directory.resolve("gateway.conf"),
                """
                heartwheel {
                  listeners {
                    tcp { bind = "127.0.0.1:0" }
                    websocket { bind = "127.0.0.1:0", protocol = websocket }
                    auto { bind = "127.0.0.1:0", protocol = auto }
                    tls { bind = "127.0.0.1:0", tls { enabled = true, certificate-file = "%s", key-file = "%s" } }
                    fronted { bind = "127.0.0.1:0", proxy { enabled = true, trusted = [ "127.0.6.6" ] } }
                  }
                  admin.bind = "127.0.0.1:0"
                  sink.kind = none
                  shutdown.drain = 1s
                  transport { kind = %s, event-loops = 1 }
                  source-limits { enabled = true, connections = 2 }
                  accept-limit { enabled = true, per-second = 1, burst = %d, retry-min = 5s, retry-max = 10m }
                }
                """
                        .formatted(certificates.certificate("gateway"), certificates.key("gateway"), kind, BURST));
        gateway = Gateway.start(ConfigLoader.read(file, Map.of(), Map.of()));
    }

    private InetSocketAddress port(String listener) {
        return gateway.ports().get(listener);
    }

    private MetricsPage metrics() throws IOException {
        URI page = URI.create("http://127.0.0.1:" + port("admin").getPort() + "/metrics");
        try (InputStream in = page.toURL().openStream()) {
            return MetricsPage.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void newcomers_beyondTheLimits_areToldWhatTheyCanReadAndHurtNobody(String kind) throws Exception {
        start(kind);
        try {
            for (int i = 0; i < DEVICES; i++) {
                device("127.0.8." + (1 + i / 2), "device-" + i);
            }
            device(GREEDY, "greedy-1");
            device(GREEDY, "greedy-2");
            assertGreedyAreTold();
            assertEquals(5, metrics().sum("heartwheel_accepts_shed_total"));
            int admitted = storm();
            MetricsPage after = metrics();
            assertEquals(5 + SHED, after.sum("heartwheel_accepts_shed_total"));
            assertEquals(devices.size() + admitted, after.sum("heartwheel_accepts_total"));
            assertEquals(4, after.sum("heartwheel_source_refusals_total", "limit=\"connections\""));
            assertEquals(1, after.sum("heartwheel_proxy_headers_total", "outcome=\"untrusted\""));
            assertEquals(0, after.closes("overloaded"), "those turned away are no connections");
        } finally {
            for (WireClient device : devices) {
                device.close();
            }
            gateway.shutdown();
            gateway.awaitTermination();
        }
    }

    private void device(String from, String id) throws IOException {
        WireClient device = WireClient.from(from, port("tcp"));
        devices.add(device);
        device.sayHello(id);
    }

    /** An address with as many connections as it may have is beyond the limit on every listener, whatever the clock says. */
    private void assertGreedyAreTold() throws Exception {
        try (WireClient frames = WireClient.from(GREEDY, port("tcp"))) {
            assertTold(frames.expect(WireFrame.GOAWAY));
            assertTrue(frames.expectClose(4202).endsWith("come back in 5 to 600 s"));
        }
        try (WebSocketWire web = new WebSocketWire(WireClient.open(port("websocket"), GREEDY))) {
            WebSocketWire.Answer answer = web.answer();
            assertEquals(503, answer.status());
            int seconds = Integer.parseInt(answer.headers().get("retry-after"));
            assertTrue(seconds >= 5 && seconds <= 600, answer::toString);
            web.drainToEnd();
        }
        for (String silent : List.of("auto", "tls", "fronted")) {
            try (WireClient untold = WireClient.from(GREEDY, port(silent))) {
                untold.expectEnd();
            }
        }
    }

    private static void assertTold(WireFrame away) {
        assertEquals(4202, away.code());
        assertEquals(5_000, away.retryMinMillis());
        assertEquals(600_000, away.retryMaxMillis());
    }

    /**
     * Newcomers one after the other, each from an address of its own, until enough of them were turned away.
     *
     * @return how many were not
     */
    private int storm() throws IOException {
        int admitted = 0;
        int shed = 0;
        long beginNanos = System.nanoTime();
        while (shed < SHED) {
            int number = admitted + shed;
            try (WireClient newcomer = WireClient.from("127.0.9." + (1 + number % 250), port("tcp"))) {
                WireFrame first =
                        newcomer.send(WireFrame.hello("newcomer-" + number)).read();
                if (first.type() == WireFrame.WELCOME) {
                    admitted++;
                } else {
                    assertEquals(WireFrame.GOAWAY, first.type(), first::toString);
                    assertTold(first);
                    assertEquals(4202, newcomer.expect(WireFrame.CLOSE).code());
                    shed++;
                }
            }
            devices.get(number % devices.size()).roundTrip(number);
        }
        long seconds = (System.nanoTime() - beginNanos) / 1_000_000_000;
        assertTrue(admitted > 0, "the greedy took no room of others");
        assertTrue(admitted <= BURST - devices.size() + seconds + 2, admitted + " in " + seconds + " s");
        return admitted;
    }
}
