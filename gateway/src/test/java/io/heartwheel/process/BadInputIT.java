package io.heartwheel.process;

import static io.heartwheel.process.WireFrame.encode;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bad bytes of any kind: the peer gets the code that the document names, the close is counted once for one reason, the log stays free of stack traces,
 * and the next device is served.
 */
class BadInputIT {
    private static GatewayProcess gateway;

    /** Bytes of a device, and the code it gets. The label is the reason's in the metrics. */
    record Fault(String name, int code, String label, byte[] bytes) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.with("handshake.timeout", "30s", "read-progress.timeout", "30s", "sink.kind", "echo")
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    @AfterEach
    void gateway_afterTheFault_servesTheNext() throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "next")) {
            device.roundTrip(1);
        }
        // each test counts what closes from here on
        Await.until("nobody left", () -> gateway.metrics().connections() == 0);
    }

    static Stream<Fault> faults() {
        byte[] hello = WireFrame.hello("dev");
        byte[] badMagic = hello.clone();
        badMagic[4] = 'X';
        byte[] badVersion = hello.clone();
        badVersion[6] = 2;
        byte[] longHello = encode(WireFrame.HELLO, 0, new byte[4_609]);
        byte[] tooMuch = {5, (byte) 0x80, 0, 0, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
        return Stream.of(
                new Fault("magic", 4400, "bad_magic", badMagic),
                new Fault("first byte no type", 4400, "bad_magic", new byte[] {0x6f, 0, 0, 0}),
                new Fault("TLS in the clear", 4400, "bad_magic", new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc}),
                new Fault("HTTP", 4400, "bad_magic", "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                new Fault("version", 4402, "bad_version", badVersion),
                new Fault("DATA before HELLO", 4408, "hello_expected", WireFrame.data(1, 0, "early")),
                new Fault("PING before HELLO", 4408, "hello_expected", encode(WireFrame.PING, 0)),
                new Fault("oversize HELLO", 4405, "too_large", longHello),
                new Fault("HELLO cut short", 4406, "malformed", encode(1, 0, Arrays.copyOfRange(hello, 4, 22))),
                new Fault("empty id", 4412, "bad_identity", WireFrame.hello("")),
                new Fault("control character in id", 4412, "bad_identity", WireFrame.hello("a\nb")),
                new Fault("id not UTF-8", 4410, "bad_utf8", WireFrame.hello(new byte[] {-1}, 0, 0, "", "")),
                new Fault("HELLO twice", 4407, "duplicate_hello", join(hello, hello)),
                new Fault("unknown type", 4404, "unknown_type", join(hello, encode(0x6f, 0))),
                new Fault("type zero", 4404, "unknown_type", join(hello, encode(0, 0))),
                new Fault("length over limit", 4405, "too_large", join(hello, tooMuch)),
                new Fault("long PING", 4405, "too_large", join(hello, encode(WireFrame.PING, 0, new byte[126]))),
                new Fault("reserved flag", 4406, "malformed", join(hello, encode(WireFrame.PING, 0x10))),
                new Fault("DATA without id", 4406, "malformed", join(hello, encode(WireFrame.DATA, 0, new byte[7]))),
                new Fault("WELCOME from a device", 4406, "malformed", join(hello, encode(2, 0, new byte[28]))),
                new Fault(
                        "text not UTF-8", 4410, "bad_utf8", join(hello, WireFrame.data(1, 2, (byte) 0xc3, (byte) 40))));
    }

    /** Bytes that follow are read and dropped: closing over them would reset the connection, and the reset may overtake the CLOSE. */
    @ParameterizedTest
    @MethodSource("faults")
    void fault_aloneOrWithManyBytesBehind_getsItsCode(Fault fault) throws Exception {
        for (int behind : new int[] {0, 200_000}) {
            MetricsPage before = gateway.metrics();
            try (WireClient device = WireClient.connect(gateway.tcp())) {
                device.send(join(fault.bytes, new byte[behind])).nextClose(fault.code);
            }
            assertCountedOnce(before, fault.label);
        }
    }

    @Test
    void frame_cutByFin_closesAsPeerClosed() throws Exception {
        byte[] hello = WireFrame.hello("cut");
        for (int length : new int[] {0, 1, 3, 4, 10, hello.length - 1}) {
            MetricsPage before = gateway.metrics();
            try (WireClient device = WireClient.connect(gateway.tcp())) {
                device.send(Arrays.copyOf(hello, length)).finish();
                device.expectEnd();
            }
            assertCountedOnce(before, "peer_closed");
        }
        MetricsPage before = gateway.metrics();
        try (WireClient device = WireClient.hello(gateway.tcp(), "cut")) {
            device.send(Arrays.copyOf(WireFrame.data(1, 0, "never whole"), 9)).finish();
            device.expectEnd();
        }
        assertCountedOnce(before, "peer_closed");
    }

    @Test
    void connection_reset_closesAsPeerReset() throws Exception {
        MetricsPage before = gateway.metrics();
        WireClient device = WireClient.hello(gateway.tcp(), "reset");
        device.reset();
        assertCountedOnce(before, "peer_reset");
    }

    /** Requests that are no upgrade: head of the request, and the status of the answer. */
    static Stream<List<Object>> requests() {
        String upgrade =
                "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
        String key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        return Stream.of(
                List.of("GET /ws/d HTTP/1.1\r\nHost: localhost\r\n\r\n", 426),
                List.of("POST /ws/d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 426),
                List.of("GET /elsewhere HTTP/1.1\r\n" + upgrade + key + "\r\n", 404),
                List.of("GET /ws/d HTTP/1.1\r\n" + upgrade + "\r\n", 400),
                List.of("GET /ws/d HTTP/1.1\r\n" + upgrade.replace("13", "8") + key + "\r\n", 426),
                List.of("GET /ws/%01 HTTP/1.1\r\n" + upgrade + key + "\r\n", 400),
                List.of("nonsense\r\n\r\n", 400),
                List.of("GET /ws/d HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n", 431));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void request_thatIsNoUpgrade_isAnswered(List<Object> request) throws Exception {
        MetricsPage before = gateway.metrics();
        try (WebSocketWire peer = WebSocketWire.connect(gateway.webSocket())) {
            WebSocketWire.Answer answer = peer.send((String) request.get(0)).answer();
            assertEquals(request.get(1), answer.status(), answer::toString);
            peer.drainToEnd();
        }
        assertClosesGrewBy(before, 1);
    }

    @Test
    void heartwheelFrames_onTheWebSocketListener_areAnswered() throws Exception {
        MetricsPage before = gateway.metrics();
        try (WebSocketWire peer = WebSocketWire.connect(gateway.webSocket())) {
            peer.send(WireFrame.hello("lost")).socket().shutdownOutput();
            peer.drainToEnd();
        }
        assertClosesGrewBy(before, 1);
    }

    private static void assertCountedOnce(MetricsPage before, String label) throws Exception {
        assertClosesGrewBy(before, 1);
        MetricsPage after = gateway.metrics();
        assertEquals(1, after.closes(label) - before.closes(label), () -> label + " in " + after);
    }

    private static void assertClosesGrewBy(MetricsPage before, int count) throws Exception {
        double wanted = before.sum("heartwheel_closes_total") + count;
        Await.until(count + " closes", () -> gateway.metrics().sum("heartwheel_closes_total") >= wanted);
        assertEquals(wanted, gateway.metrics().sum("heartwheel_closes_total"));
        assertTrue(gateway.log("\tat ").isEmpty(), gateway::toString);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        Stream.of(parts).forEach(joined::writeBytes);
        return joined.toByteArray();
    }
}
