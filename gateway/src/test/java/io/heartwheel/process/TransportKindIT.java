package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every I/O engine serves every protocol, on listeners of one protocol and on one that detects it. */
@Execution(ExecutionMode.CONCURRENT)
class TransportKindIT {

    /** One of them is not named: it is what is chosen. */
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void kind_each_servesEveryProtocol(String kind) throws Exception {
        GatewaySetup setup = GatewayProcess.with("sink.kind", "echo")
                .set("listeners.both.bind", "127.0.0.1:0", "listeners.both.protocol", "auto")
                .set("heartbeat.interval", "3s", "heartbeat.grace", "1.5");
        if (!kind.equals("epoll")) {
            setup.set("transport.kind", kind);
        }
        List<WireClient> devices = new ArrayList<>();
        List<WebSocketWire> peers = new ArrayList<>();
        try (GatewayProcess gateway = setup.start()) {
            assertTrue(gateway.log().contains("transport " + kind + ","), gateway.log());
            for (String listener : List.of("tcp", "both")) {
                WireClient device = WireClient.hello(gateway.port(listener), "frames-" + listener);
                device.data(5, WireFrame.WANTS_ACK | WireFrame.TEXT, "hello");
                assertEquals("hello", device.next(WireFrame.DATA).text());
                assertEquals(5, device.next(WireFrame.ACK).id());
                device.send(WireFrame.data(6, 0, new byte[60_000]));
                assertEquals(60_000, device.next(WireFrame.DATA).message().length);
                devices.add(device);
            }
            for (String listener : List.of("websocket", "both")) {
                WebSocketWire plain = WebSocketWire.plain(gateway.port(listener), "/ws/plain-" + listener);
                assertEquals("hé", plain.text("hé").expect(WebSocketWire.TEXT).text());
                peers.add(plain);
                WebSocketWire framed = WebSocketWire.frames(gateway.port(listener));
                framed.send(WebSocketWire.BINARY, WireFrame.hello("framed-" + listener));
                WireFrame welcome = framed.expect(WebSocketWire.BINARY).frame();
                assertEquals(WireFrame.WELCOME, welcome.type());
                peers.add(framed);
            }
            try (WireClient device = WireClient.connect(gateway.port("both"))) {
                device.send((byte) 0, (byte) 0).expectClose(4400);
            }
            try (WebSocketWire peer = WebSocketWire.connect(gateway.port("both"))) {
                assertEquals(
                        404,
                        peer.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").answer().status());
                peer.drainToEnd();
            }
            assertSilencesEnd(devices, peers);
        }
    }

    /** All at once, each with a probe before. */
    private static void assertSilencesEnd(List<WireClient> devices, List<WebSocketWire> peers) throws Exception {
        for (WireClient device : devices) {
            device.next(WireFrame.PING);
            device.nextClose(4001);
            device.close();
        }
        for (WebSocketWire peer : peers) {
            WebSocketWire.Frame probe = peer.read();
            assertTrue(probe.opcode() == WebSocketWire.PING || probe.frame().type() == WireFrame.PING, probe::toString);
            peer.expectClose(4001);
            peer.close();
        }
    }
}
