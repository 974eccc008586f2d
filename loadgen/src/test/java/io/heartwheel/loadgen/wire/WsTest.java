package io.heartwheel.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The client side of RFC 6455. */
final class WsTest {

    private static final int LIMIT = 100_000;

    @Test
    void accept_exampleOfTheRfc_isReproduced() {
        assertEquals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", WsHandshake.acceptOf("dGhlIHNhbXBsZSBub25jZQ=="));
    }

    @Test
    void writer_anyLength_unmasksToThePayload() {
        WsWriter writer = new WsWriter(1);
        for (int length : new int[] {0, 1, 3, 4, 5, 125, 126, 65_535, 65_536}) {
            byte[] payload = new byte[length];
            for (int i = 0; i < length; i++) {
                payload[i] = (byte) i;
            }
            ByteBuf out = Unpooled.buffer();
            writer.begin(out, WsCursor.BINARY, length);
            out.writeBytes(payload);
            writer.end(out);
            assertArrayEquals(payload, unmasked(out, length), "length " + length);
        }
    }

    private static byte[] unmasked(ByteBuf frame, int length) {
        assertEquals(0x82, frame.readUnsignedByte());
        int second = frame.readUnsignedByte();
        assertTrue((second & 0x80) != 0, "not masked");
        int shortLength = second & 0x7F;
        long said =
                shortLength == 126 ? frame.readUnsignedShort() : shortLength == 127 ? frame.readLong() : shortLength;
        assertEquals(length, said);
        byte[] mask = new byte[4];
        frame.readBytes(mask);
        byte[] payload = new byte[length];
        frame.readBytes(payload);
        for (int i = 0; i < length; i++) {
            payload[i] ^= mask[i % 4];
        }
        return payload;
    }

    @Test
    void cursor_frameInPieces_waitsForTheWhole() {
        ByteBuf whole = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("8a04cafebabe"));
        WsCursor cursor = new WsCursor();
        for (int length = 0; length < 6; length++) {
            assertFalse(cursor.next(whole.slice(0, length), LIMIT));
        }
        assertTrue(cursor.next(whole, LIMIT));
        assertEquals(WsCursor.PONG, cursor.opcode());
        assertEquals(4, cursor.payloadLength());
        assertEquals(2, cursor.payloadAt());
    }

    @Test
    void cursor_whatAServerMustNotSend_isRefused() {
        refused("c20100", 1002); // RSV1
        refused("830100", 1002); // opcode 3
        refused("8b0100", 1002); // opcode 11
        refused("82810000000000", 1002); // masked
        refused("0900", 1002); // fragmented ping
        refused("897e007e", 1002); // long ping
        refused("827e0001ff", 1002); // length not in the fewest bytes
        refused("827f000000000000ffff", 1002);
        refused("827f7fffffffffffffff", 1009);
        refused("827fffffffffffffffff", 1009);
    }

    private static void refused(String hex, int code) {
        ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        assertEquals(
                code,
                assertThrows(WireException.class, () -> new WsCursor().next(in, LIMIT), hex)
                        .code(),
                hex);
    }

    @Test
    void handshake_properAnswer_isAccepted() {
        ByteBuf answer = answer("HTTP/1.1 101 Switching Protocols", WsHandshake.SUBPROTOCOL, "");
        for (int length = 0; length < answer.readableBytes(); length++) {
            assertFalse(WsHandshake.accepted(answer.slice(0, length), WsHandshake.SUBPROTOCOL, 7));
        }
        ByteBuf followed = Unpooled.wrappedBuffer(answer, Unpooled.wrappedBuffer(new byte[] {1}));
        assertTrue(WsHandshake.accepted(followed, WsHandshake.SUBPROTOCOL, 7));
        assertEquals(1, followed.readableBytes());
    }

    @Test
    void handshake_otherAnswers_areRefused() {
        handshakeRefused(answer("HTTP/1.1 404 Not Found", WsHandshake.SUBPROTOCOL, ""));
        handshakeRefused(answer("HTTP/1.1 101 Switching Protocols", null, ""));
        handshakeRefused(answer("HTTP/1.1 101 Switching Protocols", "mqtt", ""));
        handshakeRefused(answer(
                "HTTP/1.1 101 Switching Protocols",
                WsHandshake.SUBPROTOCOL,
                "Sec-WebSocket-Extensions: permessage-deflate\r\n"));
        ByteBuf foreign = answer("HTTP/1.1 101 Switching Protocols", WsHandshake.SUBPROTOCOL, "");
        assertThrows(WireException.class, () -> WsHandshake.accepted(foreign, WsHandshake.SUBPROTOCOL, 8));
    }

    private static void handshakeRefused(ByteBuf answer) {
        assertEquals(
                4411,
                assertThrows(WireException.class, () -> WsHandshake.accepted(answer, WsHandshake.SUBPROTOCOL, 7))
                        .code());
    }

    private static ByteBuf answer(String status, String subprotocol, String more) {
        ByteBuf request = Unpooled.buffer();
        WsHandshake.request(request, "h:1", "/ws", subprotocol, "", 7);
        String key = request.toString(StandardCharsets.US_ASCII)
                .lines()
                .filter(line -> line.startsWith("Sec-WebSocket-Key: "))
                .findFirst()
                .orElseThrow()
                .substring(19);
        String text = status + "\r\nupgrade: WebSocket\r\nCONNECTION: upgrade\r\nSec-WebSocket-Accept: "
                + WsHandshake.acceptOf(key) + "\r\n"
                + (subprotocol == null ? "" : "Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
                + more + "\r\n";
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
