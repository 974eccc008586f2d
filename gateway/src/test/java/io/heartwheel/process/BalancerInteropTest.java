package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real balancers between devices and the gateway, as the document sets them up. Devices come from 127.0.5.5, balancers from 127.0.0.1. */
@Tag("interop")
@Execution(ExecutionMode.CONCURRENT)
class BalancerInteropTest {
    private static final String HOME = "127.0.5.5";
    private static final int FRAMES = 7070;
    private static final int FRAMES_TLS = 7443;
    private static final int WEB_SOCKET = 7080;

    @TempDir
    private Path scratch;

    private GatewaySetup fronted() {
        return GatewayProcess.with("listeners.tcp.proxy.enabled", "true")
                .set("listeners.tcp.proxy.trusted", "[\"127.0.0.1\"]")
                .set("websocket.forwarded.enabled", "true", "websocket.forwarded.trusted", "[\"127.0.0.1\"]")
                .set("sink.kind", "file", "sink.file", scratch.resolve("events").toString())
                .set("heartbeat.interval", "1s", "heartbeat.grace", "3.0", "shutdown.drain", "5s");
    }

    private static Map<Integer, InetSocketAddress> listeners(GatewayProcess gateway) {
        return Map.of(FRAMES, gateway.tcp(), WEB_SOCKET, gateway.webSocket());
    }

    /** What HAProxy shows: a certificate with its key. */
    private static Path pem(TestCertificates certificates, Path directory) throws Exception {
        String both =
                Files.readString(certificates.certificate("gateway")) + Files.readString(certificates.key("gateway"));
        return Files.writeString(directory.resolve("both.pem"), both);
    }

    private Balancer haproxy(GatewayProcess gateway, TestCertificates certificates, String example) throws Exception {
        return Balancer.haproxy(scratch, example, listeners(gateway), pem(certificates, scratch));
    }

    private static Socket home(Balancer balancer, int port) throws IOException {
        return WireClient.open(balancer.port(port), HOME);
    }

    private static SSLSocket tls(TestCertificates certificates, Socket over) throws Exception {
        return (SSLSocket) certificates.client(null).getSocketFactory().createSocket(over, "localhost", 0, true);
    }

    private static void assertFromHome(GatewayProcess gateway, String device, boolean withPort) throws IOException {
        JsonNode shown = gateway.ask("/v1/devices/" + device);
        String remote = shown.get("remote").asText();
        assertTrue(remote.matches(withPort ? HOME + ":[1-9][0-9]+" : HOME), remote);
        assertTrue(shown.get("via").asText().startsWith("127.0.0.1:"), shown::toString);
    }

    /** Alive well past interval x grace by its heartbeats, through whatever stands between. */
    private static void beat(WireClient... devices) throws Exception {
        for (int i = 0; i < 8; i++) {
            for (WireClient device : devices) {
                device.roundTrip(i);
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    private static void assertSentAway(GatewayProcess gateway, WireClient frames, WebSocketWire plain)
            throws Exception {
        gateway.signal("TERM");
        frames.next(WireFrame.GOAWAY);
        frames.next(WireFrame.CLOSE);
        WebSocketWire.Frame frame = plain.read();
        while (frame != null && frame.opcode() != WebSocketWire.CLOSE) {
            frame = plain.read();
        }
        assertEquals(1001, frame == null ? -1 : frame.code());
        assertEquals(0, gateway.awaitExit());
    }

    private void assertEventsTellHome() throws Exception {
        List<String> events = Files.readAllLines(scratch.resolve("events"));
        assertTrue(events.size() >= 4, events::toString);
        for (String each : events) {
            assertTrue(each.contains("\"remote\":\"" + HOME) && each.contains("\"via\":\"127.0.0.1:"), each);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy-v2", "send-proxy", "send-proxy-v2-ssl"})
    void haproxy_devicesOfEveryKind_areWhereTheyAre(String header) throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        String example = Balancer.example("haproxy").replace("send-proxy-v2", header);
        try (GatewayProcess gateway = fronted().start();
                Balancer haproxy = haproxy(gateway, certificates, example);
                WireClient frames = new WireClient(home(haproxy, FRAMES));
                WireClient ended = new WireClient(tls(certificates, home(haproxy, FRAMES_TLS)));
                WebSocketWire plain = new WebSocketWire(home(haproxy, WEB_SOCKET))) {
            frames.sayHello("frames");
            ended.sayHello("ended");
            plain.upgraded("/ws/plain?heartbeat_ms=60000", "X-Forwarded-For: 198.51.100.9\r\n");
            assertFromHome(gateway, "frames", true);
            assertFromHome(gateway, "ended", true);
            assertFromHome(gateway, "plain", false);
            beat(frames, ended);
            // in version 1 a health check tells the balancer's own address, as there is no other way to say so
            String check = header.equals("send-proxy") ? "v1" : "local";
            Await.until(
                    "health checks",
                    () -> gateway.metrics().sum("heartwheel_proxy_headers_total", "outcome=\"" + check + "\"") > 2);
            assertEquals(0, gateway.metrics().closes("proxy_failed"));
            assertSentAway(gateway, frames, plain);
            assertEventsTellHome();
        }
    }

    @Test
    void haproxy_carryingTls_leavesItToTheGateway() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway = fronted().tls("tcp", certificates).start();
                Balancer haproxy = haproxy(gateway, certificates, Balancer.example("haproxy"));
                WireClient device = new WireClient(tls(certificates, home(haproxy, FRAMES)))) {
            device.sayHello("carried");
            assertFromHome(gateway, "carried", true);
            beat(device);
        }
    }

    @Test
    void nginx_devicesOfEveryKind_areWhereTheyAre() throws Exception {
        try (GatewayProcess gateway = fronted().start();
                Balancer nginx = Balancer.nginx(scratch, Balancer.example("nginx"), listeners(gateway));
                WireClient frames = new WireClient(home(nginx, FRAMES));
                WebSocketWire plain = new WebSocketWire(home(nginx, WEB_SOCKET))) {
            frames.sayHello("frames");
            plain.upgraded("/ws/plain?heartbeat_ms=60000", "X-Forwarded-For: 198.51.100.9\r\n");
            assertFromHome(gateway, "frames", true);
            assertFromHome(gateway, "plain", false);
            beat(frames);
            assertSentAway(gateway, frames, plain);
            assertEventsTellHome();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"haproxy", "nginx"})
    void forwarded_ofARealBalancer_isWhereTheDeviceIs(String kind) throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        String example = Balancer.forwardedExample(kind);
        try (GatewayProcess gateway =
                        fronted().set("websocket.forwarded.header", "Forwarded").start();
                Balancer balancer = kind.equals("nginx")
                        ? Balancer.nginx(scratch, example, listeners(gateway))
                        : haproxy(gateway, certificates, example);
                WebSocketWire plain = new WebSocketWire(home(balancer, WEB_SOCKET))) {
            plain.upgraded(
                    "/ws/plain?heartbeat_ms=60000", "Forwarded: for=198.51.100.9\r\nX-Forwarded-For: 192.0.2.1\r\n");
            assertFromHome(gateway, "plain", true);
        }
    }

    @Test
    void limits_throughBalancers_countDevicesAndNotBalancers() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway = fronted()
                        .set("source-limits.enabled", "true", "source-limits.connections", "2")
                        .start();
                Balancer haproxy = haproxy(gateway, certificates, Balancer.example("haproxy"));
                WireClient one = new WireClient(home(haproxy, FRAMES));
                WebSocketWire two = new WebSocketWire(home(haproxy, WEB_SOCKET));
                WireClient neighbour = new WireClient(WireClient.open(haproxy.port(FRAMES), "127.0.5.6"))) {
            one.sayHello("one");
            two.upgraded("/ws/two", "");
            try (WireClient three = new WireClient(home(haproxy, FRAMES))) {
                three.expectClose(4201);
            }
            neighbour.sayHello("neighbour");
            try (WebSocketWire four = new WebSocketWire(home(haproxy, WEB_SOCKET))) {
                assertEquals(503, four.request("/ws/four", "").status());
            }
            // round the balancer: not believed on the one, its own address on the other
            try (WireClient spoof = new WireClient(WireClient.open(gateway.tcp(), HOME))) {
                spoof.send("PROXY TCP4 192.0.2.1 192.0.2.2 1 1\r\n".getBytes(StandardCharsets.US_ASCII));
                Await.until("turned away", () -> gateway.metrics().closes("proxy_failed") == 1);
            }
            try (WebSocketWire spoof = new WebSocketWire(WireClient.open(gateway.webSocket(), "127.0.5.7"))) {
                spoof.upgraded("/ws/spoof", "X-Forwarded-For: 192.0.2.1\r\n");
                JsonNode shown = gateway.ask("/v1/devices/spoof");
                assertTrue(shown.get("remote").asText().startsWith("127.0.5.7:"), shown::toString);
            }
        }
    }
}
