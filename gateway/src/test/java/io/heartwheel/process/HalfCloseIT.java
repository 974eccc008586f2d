package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A device that ends its side of the stream after its last messages gets its ACKs, and then the gateway ends its own side. */
@Execution(ExecutionMode.CONCURRENT)
class HalfCloseIT {
    private static final int MESSAGES = 300;

    @TempDir
    private Path scratch;

    private static byte[] messages(boolean close) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 1; i <= MESSAGES; i++) {
            all.writeBytes(WireFrame.data(i, WireFrame.WANTS_ACK, "m" + i));
        }
        if (close) {
            all.writeBytes(WireFrame.encode(WireFrame.CLOSE, 0, (byte) 0x0f, (byte) 0xa0));
        }
        return all.toByteArray();
    }

    @Test
    void stream_endedBehindMessages_getsEveryAckAndThenTheEnd() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with(
                        "sink.kind", "file", "sink.file", scratch.resolve("events.jsonl"))
                .set("listeners.both.bind", "127.0.0.1:0", "listeners.both.protocol", "auto")
                .start()) {
            for (String listener : new String[] {"tcp", "both"}) {
                for (boolean close : new boolean[] {false, true}) {
                    try (WireClient device = WireClient.hello(gateway.port(listener), listener + close)) {
                        device.send(messages(close));
                        device.finish();
                        for (int i = 1; i <= MESSAGES; i++) {
                            WireFrame ack = device.expect(WireFrame.ACK);
                            assertEquals(i, ack.id());
                            assertEquals(0, ack.status());
                        }
                        device.expectEnd();
                    }
                }
            }
            for (boolean close : new boolean[] {false, true}) {
                try (WebSocketWire peer = WebSocketWire.frames(gateway.webSocket())) {
                    peer.send(WebSocketWire.BINARY, WireFrame.hello("frames" + close));
                    peer.expect(WebSocketWire.BINARY);
                    peer.send(WebSocketWire.BINARY, messages(close));
                    peer.socket().shutdownOutput();
                    for (int i = 1; i <= MESSAGES; i++) {
                        assertEquals(
                                i, peer.expect(WebSocketWire.BINARY).frame().id());
                    }
                    if (close) {
                        assertEquals(1000, peer.expect(WebSocketWire.CLOSE).code());
                    }
                    peer.expectEnd();
                }
            }
            Await.until("counted", () -> gateway.metrics().closes("peer_closed") == 6);
            assertEquals(0, gateway.metrics().connections());

            // as printf ... | nc does: all in one
            try (WireClient device = WireClient.connect(gateway.tcp())) {
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                all.writeBytes(WireFrame.hello("pipe"));
                all.writeBytes(WireFrame.data(1, WireFrame.WANTS_ACK, "m"));
                device.send(all.toByteArray());
                device.finish();
                device.expect(WireFrame.WELCOME);
                assertEquals(1, device.expect(WireFrame.ACK).id());
                device.expectEnd();
            }
        }
    }
}
