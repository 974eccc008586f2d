package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Compressed messages that are far larger than they look, from many peers, to a gateway with a small heap. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class BombIT {
    private static final int DEVICES = 120;
    private static final int PEERS = 30;
    private static final int MAX_PAYLOAD = 64 << 10;
    private static final String COMPRESSED = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    private static final byte[] EMPTY_BLOCK = {0, 0, 0, -1, -1};

    @Test
    void messages_thatInflateWithoutEnd_areClosedAndTouchNobody() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("websocket.compression.enabled", "true")
                        .set("protocol.max-payload", MAX_PAYLOAD + "B")
                        .jvm("-Xmx64m")
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            byte[] bomb = deflated(new byte[60 << 20]);
            assertTrue(bomb.length < MAX_PAYLOAD && (60 << 20) / bomb.length > 900, () -> bomb.length + " bytes");
            byte[] largest = deflated(new byte[MAX_PAYLOAD]);
            for (int i = 0; i < PEERS; i++) {
                // a thousand to one, in one message and in two fragments
                expect(gateway, 1009, frame(0xC2, bomb));
                expect(gateway, 1009, frame(0x42, Arrays.copyOf(bomb, 1_000)), frame(0x80, tail(bomb, 1_000)));
                // a stream that never ends, of blocks with nothing in them
                expect(gateway, 1009, endless());
                // one more byte than may be
                expect(gateway, 1009, frame(0xC2, deflated(new byte[MAX_PAYLOAD + 1])));
                expect(gateway, 1002, frame(0xC2, new byte[] {7, 7, 7}));
            }
            // as large as allowed and a thousand times over: taken, each, and no device waits for it
            try (WebSocketWire peer = peer(gateway)) {
                byte[] message = frame(0xC2, largest);
                for (int i = 0; i < 1_000; i++) {
                    peer.send(message);
                }
                peer.send(WebSocketWire.PING, (byte) 1).expect(WebSocketWire.PONG);
            }
            MetricsPage page = gateway.metrics();
            assertEquals(4 * PEERS, page.closes("too_large"), page::toString);
            assertEquals(PEERS, page.closes("malformed"), page::toString);
            assertEquals(DEVICES, herd.count().live());
            assertEquals(0, page.sum("heartwheel_unfinished_bytes"));
            assertFalse(gateway.log().contains("OutOfMemory"), gateway::toString);
        }
    }

    private static WebSocketWire peer(GatewayProcess gateway) throws Exception {
        return WebSocketWire.connect(gateway.webSocket()).upgraded("/ws/bomber", COMPRESSED);
    }

    private static void expect(GatewayProcess gateway, int code, byte[]... frames) throws Exception {
        try (WebSocketWire peer = peer(gateway)) {
            for (byte[] frame : frames) {
                peer.send(frame);
            }
            peer.expectClose(code);
        }
    }

    private static byte[] endless() {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        byte[] blocks = new byte[200 * EMPTY_BLOCK.length];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = EMPTY_BLOCK[i % EMPTY_BLOCK.length];
        }
        for (int i = 0; i < 100; i++) {
            frames.writeBytes(frame(i == 0 ? 0x42 : 0, blocks));
        }
        return frames.toByteArray();
    }

    /** Masked with zeros. */
    private static byte[] frame(int first, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length);
        frame.put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else if (payload.length < 65_536) {
            frame.put((byte) 0xFE).putShort((short) payload.length);
        } else {
            frame.put((byte) 0xFF).putLong(payload.length);
        }
        frame.putInt(0).put(payload);
        return Arrays.copyOf(frame.array(), frame.position());
    }

    private static byte[] tail(byte[] bytes, int from) {
        return Arrays.copyOfRange(bytes, from, bytes.length);
    }

    private static byte[] deflated(byte[] plain) {
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(plain);
        byte[] buffer = new byte[plain.length / 500 + 1_000];
        int length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
        deflater.end();
        return Arrays.copyOf(buffer, length - 4);
    }
}
