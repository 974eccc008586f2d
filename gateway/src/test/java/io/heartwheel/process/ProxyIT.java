package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

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

    private static TestCertificates certificates;
    /** Three listeners behind a balancer, and one that is open to all. */
    private static GatewayProcess front;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        front = fronted("tcp", "websocket", "both")
                .tls("both", certificates)
                .set("listeners.both.protocol", "auto", "listeners.open.bind", "127.0.0.1:0")
                .set("sink.kind", "file", "sink.file", events())
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        front.close();
    }

    private static Path events() {
        return scratch.resolve("events.jsonl");
    }

    private static GatewaySetup fronted(String... listeners) {
        GatewaySetup setup = GatewayProcess.with("handshake.timeout", "30s");
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
        return WireClient.from(address, gateway.port(listener));
    }

    /** Where this device is from; what was believed is told with the balancer's own address. */
    private static void assertRemote(String remote, GatewayProcess gateway, String id) throws IOException {
        JsonNode device = gateway.ask("/v1/devices/" + id);
        assertTrue(device.get("remote").asText().startsWith(remote + ":"), device::toString);
        assertEquals(!remote.startsWith("127"), device.has("via"), device::toString);
    }

    private static double headers(GatewayProcess gateway, String outcome) throws IOException {
        return gateway.metrics().sum("heartwheel_proxy_headers_total", "outcome=\"" + outcome + "\"");
    }

    private static List<JsonNode> life(String device) throws IOException {
        return EventLines.ofDevice(device, EventLines.read(events()));
    }

    /** What each listener says of it, by name. */
    private static String shown(GatewayProcess gateway, String what) throws IOException {
        Map<String, String> byName = new TreeMap<>();
        for (JsonNode each : gateway.ask("/v1/gateway").get("listeners")) {
            byName.put(each.get("name").asText(), each.get(what).toString());
        }
        return byName.toString();
    }

    @Test
    void header_ofATrustedBalancer_isTheOriginEverywhere() throws Exception {
        try (WireClient first = from(BALANCER, front, "tcp");
                WireClient second = from(BALANCER, front, "tcp")) {
            for (byte octet : line()) {
                first.send(octet);
            }
            first.sayHello("first");
            second.send(BINARY).sayHello("second");
            assertRemote("203.0.113.8", front, "second");
            JsonNode shown = front.ask("/v1/devices/first");
            assertEquals("203.0.113.7:5000", shown.get("remote").asText());
            assertEquals(
                    BALANCER + ":" + first.socket().getLocalPort(),
                    shown.get("via").asText());
            JsonNode why = front.ask("/v1/devices/first/why");
            assertTrue(why.toString().contains("\"203.0.113.7:5000\""), why::toString);
        }
        for (String device : List.of("first", "second")) {
            Await.until("both ends", () -> life(device).size() == 2);
            for (JsonNode event : life(device)) {
                assertTrue(event.toString().matches(".*\"remote\":\"203.0.113.[78]:5000\",\"via\":\"127.0.0.1:.*"));
            }
        }
        assertRestIsLeftAlone();
        assertEquals(2, headers(front, "v1"));
        assertEquals(3, headers(front, "v2"));
    }

    /** TLS behind the header, detection behind that; and frames in the same packet. */
    private static void assertRestIsLeftAlone() throws Exception {
        try (WireClient device = new WireClient(tls(line()))) {
            device.sayHello("frames");
            device.roundTrip(1);
            assertRemote("203.0.113.7", front, "frames");
        }
        try (WebSocketWire device = new WebSocketWire(tls(BINARY)).upgraded("/ws/plain", "")) {
            device.send(WebSocketWire.PING, (byte) 7).expect(WebSocketWire.PONG);
            assertRemote("203.0.113.8", front, "plain");
        }
        byte[] hello = WireFrame.hello("at-once");
        byte[] all = Arrays.copyOf(BINARY, BINARY.length + hello.length + 4);
        System.arraycopy(hello, 0, all, BINARY.length, hello.length);
        all[BINARY.length + hello.length] = WireFrame.PING;
        try (WireClient device = from(BALANCER, front, "tcp")) {
            device.send(all).expect(WireFrame.WELCOME);
            device.expect(WireFrame.PONG);
        }
    }

    private static SSLSocket tls(byte[] header) throws Exception {
        Socket socket = WireClient.open(front.port("both"), BALANCER);
        socket.getOutputStream().write(header);
        return (SSLSocket) certificates.client(null).getSocketFactory().createSocket(socket, "localhost", 0, true);
    }

    @Test
    void header_withoutAnOriginOrOfAStranger_isNone() throws Exception {
        for (int i = 0; i < 10; i++) {
            try (WireClient check = from(BALANCER, front, "tcp")) {
                check.send(HEALTH_CHECK).finish();
                check.expectEnd();
            }
        }
        try (WireClient own = from(BALANCER, front, "tcp")) {
            own.send(HEALTH_CHECK).sayHello("own");
            assertRemote(BALANCER, front, "own");
        }
        assertEquals(11, headers(front, "local"));
        assertEquals(0, front.metrics().closes("proxy_failed"));
        for (String listener : List.of("tcp", "websocket")) {
            assertThrows(IOException.class, () -> {
                try (WireClient stranger = from(STRANGER, front, listener)) {
                    stranger.send(line()).sayHello("spoofed");
                }
            });
        }
        // a listener without a balancer takes no header from anybody
        try (WireClient spoof = from(BALANCER, front, "open")) {
            spoof.send(line()).expectClose(4400);
        }
        try (WireClient honest = from(STRANGER, front, "open")) {
            honest.sayHello("honest");
            assertRemote(STRANGER, front, "honest");
        }
        assertEquals(404, front.status("GET", "/v1/devices/spoofed"));
        String trusted = "{\"trusted\":[\"127.0.0.1\"]}";
        assertEquals(
                "{both=" + trusted + ", open=null, tcp=" + trusted + ", websocket=" + trusted + "}",
                shown(front, "proxy"));
        assertEquals(2, headers(front, "untrusted"));
        assertEquals(2, front.metrics().closes("proxy_failed"));
        front.awaitLog("proxy.trusted");
        assertEquals(1, front.warnings().size(), front.log());
    }

    @Test
    void header_missingOrWrong_closesWithoutAWord() throws Exception {
        try (GatewayProcess gateway =
                fronted("tcp").set("handshake.timeout", "2s").start()) {
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
    void forwarded_ofATrustedBalancer_isTheOrigin() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("websocket.forwarded.enabled", "true")
                .set("websocket.forwarded.trusted", "[\"127.0.0.1\"]")
                .start()) {
            String spoofed = "X-Forwarded-For: 198.51.100.9\r\n";
            try (WebSocketWire told = WebSocketWire.connect(gateway.webSocket())
                            .upgraded("/ws/told", spoofed + "X-Forwarded-For: 203.0.113.7\r\n");
                    WebSocketWire stranger = new WebSocketWire(WireClient.open(gateway.webSocket(), STRANGER))
                            .upgraded("/ws/stranger", spoofed)) {
                JsonNode shown = gateway.ask("/v1/devices/told");
                assertEquals("203.0.113.7", shown.get("remote").asText());
                assertEquals(
                        BALANCER + ":" + told.socket().getLocalPort(),
                        shown.get("via").asText());
                assertRemote(STRANGER, gateway, "stranger");
            }
            assertEquals(400, refused(gateway, "X-Forwarded-For: unknown\r\n"));
            MetricsPage metrics = gateway.metrics();
            for (String outcome : List.of("taken", "untrusted", "malformed")) {
                assertEquals(1, metrics.sum("heartwheel_forwarded_headers_total", "outcome=\"" + outcome + "\""));
            }
        }
    }

    private static int refused(GatewayProcess gateway, String header) throws IOException {
        try (WebSocketWire web = WebSocketWire.connect(gateway.webSocket())) {
            int status = web.request("/ws/refused", header).status();
            web.drainToEnd();
            return status;
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
                assertEquals(503, refused(gateway, "X-Forwarded-For: 203.0.113.7\r\n"));
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
}
