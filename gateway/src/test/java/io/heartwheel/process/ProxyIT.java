package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway behind a balancer, which is the test: who is believed, in what, and where the address is shown. */
@Execution(ExecutionMode.CONCURRENT)
class ProxyIT {
    private static final String LINE = "PROXY TCP4 203.0.113.7 192.0.2.1 5000 443\r\n";
    private static final byte[] BINARY =
            HexFormat.of().parseHex("0d0a0d0a000d0a515549540a" + "2111000f" + "cb007108c0000201138801bb" + "040000");
    private static final byte[] HEALTH_CHECK = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a20000000");
    private static final String BALANCER = "127.0.0.1";
    private static final String STRANGER = "127.0.5.5";

    @TempDir
    private static Path scratch;

    private static GatewaySetup fronted(String... listeners) {
        GatewaySetup setup = GatewayProcess.with("handshake.timeout", "3s");
        for (String listener : listeners) {
            setup.set("listeners." + listener + ".bind", "127.0.0.1:0");
            setup.set("listeners." + listener + ".proxy.enabled", "true");
            setup.set("listeners." + listener + ".proxy.trusted", "[\"127.0.0.1\"]");
        }
        return setup;
    }

    private static byte[] line() {
        return LINE.getBytes(StandardCharsets.US_ASCII);
    }

    private static WireClient from(String address, GatewayProcess gateway, String listener) throws IOException {
        return new WireClient(WireClient.open(gateway.port(listener), address));
    }

    private static JsonNode device(GatewayProcess gateway, String id) throws IOException {
        return gateway.admin("GET", "/v1/devices/" + id).json();
    }

    private static double headers(GatewayProcess gateway, String outcome) throws IOException {
        return gateway.metrics().sum("heartwheel_proxy_headers_total", "outcome=\"" + outcome + "\"");
    }

    /** What each listener says of it, by name. */
    private static String shown(GatewayProcess gateway, String what) throws IOException {
        Map<String, String> byName = new TreeMap<>();
        for (JsonNode each : gateway.admin("GET", "/v1/gateway").json().get("listeners")) {
            byName.put(each.get("name").asText(), each.get(what).toString());
        }
        return byName.toString();
    }

    @Test
    void header_ofATrustedBalancer_isTheOriginEverywhere() throws Exception {
        Path events = scratch.resolve("events.jsonl");
        try (GatewayProcess gateway = fronted("tcp")
                .set("sink.kind", "file", "sink.file", events.toString())
                .start()) {
            try (WireClient first = from(BALANCER, gateway, "tcp");
                    WireClient second = from(BALANCER, gateway, "tcp")) {
                for (byte octet : line()) {
                    first.send(octet);
                }
                first.sayHello("first");
                second.send(BINARY).sayHello("second");
                assertEquals(
                        "203.0.113.7:5000",
                        device(gateway, "first").get("remote").asText());
                assertEquals(
                        "203.0.113.8:5000",
                        device(gateway, "second").get("remote").asText());
                assertEquals(
                        BALANCER + ":" + first.socket().getLocalPort(),
                        device(gateway, "first").get("via").asText());
                JsonNode why = gateway.admin("GET", "/v1/devices/first/why").json();
                assertTrue(why.toString().contains("\"203.0.113.7:5000\""), why::toString);
            }
            Await.until("two ends", () -> Files.readString(events).split("\"disconnected\"", -1).length == 3);
            for (String each : Files.readAllLines(events)) {
                assertTrue(each.matches(".*\"remote\":\"203.0.113.[78]:5000\",\"via\":\"127.0.0.1:.*"), each);
            }
            assertEquals(1, headers(gateway, "v1"));
            assertEquals(1, headers(gateway, "v2"));
        }
    }

    @Test
    void header_ofAStranger_isNotBelieved() throws Exception {
        try (GatewayProcess gateway = fronted("tcp", "websocket")
                .set("listeners.open.bind", "127.0.0.1:0")
                .start()) {
            for (String listener : List.of("tcp", "websocket")) {
                assertThrows(IOException.class, () -> {
                    try (WireClient stranger = from(STRANGER, gateway, listener)) {
                        stranger.send(line()).sayHello("spoofed");
                    }
                });
            }
            // a listener without a balancer takes no header from anybody
            try (WireClient spoof = from(BALANCER, gateway, "open")) {
                spoof.send(line()).expectClose(4400);
            }
            try (WireClient honest = from(STRANGER, gateway, "open")) {
                honest.sayHello("honest");
                assertTrue(device(gateway, "honest").get("remote").asText().startsWith(STRANGER + ":"));
                assertFalse(device(gateway, "honest").has("via"));
            }
            assertEquals(404, gateway.admin("GET", "/v1/devices/spoofed").status());
            assertEquals(
                    "{open=null, tcp={\"trusted\":[\"127.0.0.1\"]}, websocket={\"trusted\":[\"127.0.0.1\"]}}",
                    shown(gateway, "proxy"));
            assertEquals(2, headers(gateway, "untrusted"));
            assertEquals(2, gateway.metrics().closes("proxy_failed"));
            gateway.awaitLog("proxy.trusted");
            assertEquals(1, gateway.log(" WARN ").size(), gateway.log());
        }
    }

    @Test
    void header_missingOrWrong_closesWithoutAWord() throws Exception {
        try (GatewayProcess gateway = fronted("tcp").start()) {
            for (byte[] bytes : List.of(
                    WireFrame.hello("bare"),
                    "PROXY TCP4 203.0.113.7\r\n".getBytes(StandardCharsets.US_ASCII),
                    new byte[] {22, 3, 1},
                    new byte[4_096])) {
                try (WireClient balancer = from(BALANCER, gateway, "tcp")) {
                    balancer.send(bytes);
                    assertTrue(endsWithNothing(balancer));
                }
            }
            Await.until("all of them counted", () -> headers(gateway, "malformed") == 4);
            assertEquals(4, gateway.metrics().closes("proxy_failed"));
            // begun and not finished: the handshake's own deadline
            try (WireClient slow = from(BALANCER, gateway, "tcp")) {
                slow.send("PROXY TC".getBytes(StandardCharsets.US_ASCII)).expectClose(4006);
            }
        }
    }

    private static boolean endsWithNothing(WireClient client) {
        try {
            return client.read() == null;
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    void healthCheck_withoutAnOrigin_isTaken() throws Exception {
        try (GatewayProcess gateway = fronted("tcp").start()) {
            for (int i = 0; i < 10; i++) {
                try (WireClient check = from(BALANCER, gateway, "tcp")) {
                    check.send(HEALTH_CHECK).finish();
                    check.expectEnd();
                }
            }
            try (WireClient own = from(BALANCER, gateway, "tcp")) {
                own.send(HEALTH_CHECK).sayHello("own");
                assertTrue(device(gateway, "own").get("remote").asText().startsWith(BALANCER + ":"));
                assertFalse(device(gateway, "own").has("via"));
            }
            assertEquals(11, headers(gateway, "local"));
            assertEquals(0, gateway.metrics().closes("proxy_failed"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void header_beforeTlsAndSniffing_leavesTheRestAlone(String kind) throws Exception {
        TestCertificates certificates = new TestCertificates(Files.createTempDirectory(scratch, kind));
        try (GatewayProcess gateway = fronted("tcp", "websocket", "both")
                .set("transport.kind", kind, "listeners.both.protocol", "auto", "sink.kind", "echo")
                .set("listeners.both.tls.enabled", "true")
                .set(
                        "listeners.both.tls.certificate-file",
                        certificates.certificate("gateway").toString())
                .set("listeners.both.tls.key-file", certificates.key("gateway").toString())
                .start()) {
            try (WireClient device = new WireClient(tls(certificates, gateway, line()))) {
                device.sayHello("frames");
                device.roundTrip(1);
                assertEquals(
                        "203.0.113.7:5000",
                        device(gateway, "frames").get("remote").asText());
            }
            try (WebSocketWire device =
                    new WebSocketWire(tls(certificates, gateway, BINARY)).upgraded("/ws/plain", "")) {
                assertEquals("hé", device.text("hé").expect(WebSocketWire.TEXT).text());
                assertEquals(
                        "203.0.113.8:5000",
                        device(gateway, "plain").get("remote").asText());
            }
            // header, HELLO and a PING in one packet
            byte[] hello = WireFrame.hello("at-once");
            byte[] all = new byte[BINARY.length + hello.length + 4];
            System.arraycopy(BINARY, 0, all, 0, BINARY.length);
            System.arraycopy(hello, 0, all, BINARY.length, hello.length);
            all[BINARY.length + hello.length] = WireFrame.PING;
            try (WireClient device = from(BALANCER, gateway, "tcp")) {
                device.send(all).expect(WireFrame.WELCOME);
                device.expect(WireFrame.PONG);
            }
        }
    }

    private static SSLSocket tls(TestCertificates certificates, GatewayProcess gateway, byte[] header)
            throws Exception {
        Socket socket = WireClient.open(gateway.port("both"), BALANCER);
        socket.getOutputStream().write(header);
        return (SSLSocket) certificates.client(null).getSocketFactory().createSocket(socket, "localhost", 0, true);
    }

    @Test
    void forwarded_ofATrustedBalancer_isTheOrigin() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("websocket.forwarded.enabled", "true")
                .set("websocket.forwarded.trusted", "[\"127.0.0.1\"]")
                .start()) {
            String spoofed = "X-Forwarded-For: 198.51.100.9\r\n";
            try (WebSocketWire told = WebSocketWire.connect(gateway.webSocket())
                            .upgraded("/ws/told", spoofed + "X-Forwarded-For: 203.0.113.7\r\n");
                    WebSocketWire stranger = new WebSocketWire(WireClient.open(gateway.webSocket(), STRANGER))
                            .upgraded("/ws/stranger", spoofed)) {
                assertEquals(
                        "203.0.113.7", device(gateway, "told").get("remote").asText());
                assertEquals(
                        BALANCER + ":" + told.socket().getLocalPort(),
                        device(gateway, "told").get("via").asText());
                assertTrue(device(gateway, "stranger").get("remote").asText().startsWith(STRANGER + ":"));
            }
            try (WebSocketWire broken = WebSocketWire.connect(gateway.webSocket())) {
                assertEquals(
                        400,
                        broken.request("/ws/broken", "X-Forwarded-For: unknown\r\n")
                                .status());
                broken.drainToEnd();
            }
            MetricsPage metrics = gateway.metrics();
            for (String outcome : List.of("taken", "untrusted", "malformed")) {
                assertEquals(1, metrics.sum("heartwheel_forwarded_headers_total", "outcome=\"" + outcome + "\""));
            }
        }
    }

    @Test
    void forwarded_asRfc7239_isTheOriginAndTheOtherHeaderIsNot() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("websocket.forwarded.enabled", "true")
                .set("websocket.forwarded.trusted", "[\"127.0.0.1\"]", "websocket.forwarded.header", "Forwarded")
                .start()) {
            String forged = "X-Forwarded-For: 198.51.100.9\r\nForwarded: for=\"198.51.100.9\r\n";
            try (WebSocketWire told = WebSocketWire.connect(gateway.webSocket())
                            .upgraded("/ws/told", forged + "Forwarded: For=\"[2001:db8::7]:5000\";proto=http\r\n");
                    WebSocketWire hidden = WebSocketWire.connect(gateway.webSocket())
                            .upgraded("/ws/hidden", forged + "Forwarded: for=_hidden\r\n")) {
                assertEquals(
                        "[2001:db8::7]:5000",
                        device(gateway, "told").get("remote").asText());
                assertTrue(device(gateway, "hidden").get("remote").asText().startsWith(BALANCER + ":"));
                assertFalse(device(gateway, "hidden").has("via"));
            }
            try (WebSocketWire broken = WebSocketWire.connect(gateway.webSocket())) {
                assertEquals(
                        400,
                        broken.request("/ws/broken", "Forwarded: 203.0.113.7\r\n")
                                .status());
                broken.drainToEnd();
            }
            assertEquals(
                    "{tcp=null, websocket={\"header\":\"forwarded\",\"trusted\":[\"127.0.0.1\"]}}",
                    shown(gateway, "forwarded"));
            MetricsPage metrics = gateway.metrics();
            for (String outcome : List.of("taken", "unknown", "malformed")) {
                assertEquals(1, metrics.sum("heartwheel_forwarded_headers_total", "outcome=\"" + outcome + "\""));
            }
        }
    }

    @Test
    void limits_behindABalancer_countTheOriginAndNotTheBalancer() throws Exception {
        try (GatewayProcess gateway = fronted("tcp")
                .set("listeners.websocket.bind", "127.0.0.1:0", "listeners.open.bind", "127.0.0.1:0")
                .set("websocket.forwarded.enabled", "true", "websocket.forwarded.trusted", "[\"127.0.0.1\"]")
                .set("source-limits.enabled", "true", "source-limits.connections", "2")
                .start()) {
            try (WireClient one = from(BALANCER, gateway, "tcp");
                    WireClient two = from(BALANCER, gateway, "tcp");
                    WireClient three = from(BALANCER, gateway, "tcp");
                    WireClient other = from(BALANCER, gateway, "tcp")) {
                one.send(line()).sayHello("one");
                two.send(line()).sayHello("two");
                three.send(line()).expectClose(4201);
                other.send(BINARY).sayHello("other");
                // the same device, by way of the other balancer, is the same source
                try (WebSocketWire web = WebSocketWire.connect(gateway.webSocket())) {
                    assertEquals(
                            503,
                            web.request("/ws/web", "X-Forwarded-For: 203.0.113.7\r\n")
                                    .status());
                    web.drainToEnd();
                }
                two.close();
                Await.until("room for one more", () -> {
                    try (WebSocketWire web = WebSocketWire.connect(gateway.webSocket())) {
                        return web.request("/ws/web", "X-Forwarded-For: 203.0.113.7\r\n")
                                        .status()
                                == 101;
                    }
                });
                other.roundTrip(1);
                one.roundTrip(1);
            }
            assertLimitedDirectly(gateway);
        }
    }

    private static void assertLimitedDirectly(GatewayProcess gateway) throws Exception {
        try (WireClient one = from(STRANGER, gateway, "open");
                WireClient two = from(STRANGER, gateway, "open")) {
            one.sayHello("direct-1");
            two.sayHello("direct-2");
            try (WireClient three = from(STRANGER, gateway, "open")) {
                three.expectClose(4201);
            }
        }
        MetricsPage metrics = gateway.metrics();
        assertTrue(metrics.sum("heartwheel_source_refusals_total", "limit=\"connections\"") >= 3, metrics::toString);
        assertEquals(
                metrics.closes("connection_limit"),
                metrics.sum("heartwheel_source_refusals_total", "limit=\"connections\""));
    }

    @Test
    void rate_ofASource_isLimitedForItAlone() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("source-limits.enabled", "true")
                .set("source-limits.accepts-per-second", "1", "source-limits.burst", "5")
                .start()) {
            int refused = 0;
            for (int i = 0; i < 50; i++) {
                try (WireClient hasty = from(STRANGER, gateway, "tcp")) {
                    hasty.send(WireFrame.hello("hasty"));
                    refused += hasty.read().type() == WireFrame.CLOSE ? 1 : 0;
                }
            }
            assertTrue(refused > 0);
            try (WireClient calm = from("127.0.5.6", gateway, "tcp")) {
                calm.sayHello("calm");
            }
            assertEquals(refused, gateway.metrics().closes("overloaded"));
            assertEquals(refused, gateway.metrics().sum("heartwheel_source_refusals_total", "limit=\"rate\""));
            gateway.awaitLog("source-limits");
        }
    }
}
