package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every I/O engine serves every protocol, on listeners of one protocol and on one that detects it. */
@Execution(ExecutionMode.CONCURRENT)
class TransportKindIT {

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void kind_each_servesEveryProtocol(String kind) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", kind, "sink.kind", "echo")
                .set("listeners.both.bind", "127.0.0.1:0", "listeners.both.protocol", "auto")
                .set("heartbeat.interval", "1s", "heartbeat.grace", "2.0")
                .start()) {
            assertTrue(gateway.log().contains("transport " + kind + ","), gateway.log());
            for (String listener : new String[] {"tcp", "both"}) {
                try (WireClient device = WireClient.hello(gateway.port(listener), "frames")) {
                    device.data(5, WireFrame.WANTS_ACK | WireFrame.TEXT, "hello");
                    assertEquals("hello", device.next(WireFrame.DATA).text());
                    assertEquals(5, device.next(WireFrame.ACK).id());
                    device.send(WireFrame.data(6, 0, new byte[60_000]));
                    assertEquals(60_000, device.next(WireFrame.DATA).message().length);
                    device.nextClose(4001);
                }
            }
            for (String listener : new String[] {"websocket", "both"}) {
                try (WebSocketWire peer = WebSocketWire.plain(gateway.port(listener), "/ws/plain")) {
                    assertEquals(
                            "hé", peer.text("hé").expect(WebSocketWire.TEXT).text());
                    peer.expect(WebSocketWire.PING);
                    peer.expectClose(4001);
                }
                try (WebSocketWire peer = WebSocketWire.frames(gateway.port(listener))) {
                    peer.send(WebSocketWire.BINARY, WireFrame.hello("frames-in-messages"));
                    WireFrame welcome = peer.expect(WebSocketWire.BINARY).frame();
                    assertEquals(WireFrame.WELCOME, welcome.type());
                    assertEquals(
                            WireFrame.PING,
                            peer.expect(WebSocketWire.BINARY).frame().type());
                    peer.expectClose(4001);
                }
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
        }
    }

    @Test
    void kind_notNamed_isChosenAndTold() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            assertTrue(gateway.log().contains("transport epoll,"), gateway.log());
        }
    }
}
