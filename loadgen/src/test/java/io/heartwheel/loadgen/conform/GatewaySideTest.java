package io.heartwheel.loadgen.conform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.conform.WsServer.Message;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway's side of WebSocket and JSON: what a client may send is read, what it must not is refused. */
final class GatewaySideTest {

    private static ByteBuf masked(int opcode, int length) {
        ByteBuf out = Unpooled.buffer();
        WsWriter writer = new WsWriter(5);
        writer.begin(out, opcode, length);
        out.writeBytes(counted(length));
        writer.end(out);
        return out;
    }

    private static byte[] counted(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void next_everyFormOfLength_isUnmaskedWhole() {
        for (int length : new int[] {0, 1, 125, 126, 65_535, 65_536}) {
            ByteBuf in = masked(WsCursor.BINARY, length);
            assertNull(new WsServer().next(in.copy(0, in.readableBytes() - 1)), () -> length + " bytes, not whole");
            Message message = Objects.requireNonNull(new WsServer().next(in));
            assertArrayEquals(counted(length), message.payload());
        }
    }

    @Test
    void next_fragmentsWithAPingBetween_areOneMessage() {
        ByteBuf first = masked(WsCursor.TEXT, 3);
        first.setByte(0, WsCursor.TEXT);
        ByteBuf in = Unpooled.wrappedBuffer(first, masked(WsCursor.PING, 2), masked(WsCursor.CONTINUATION, 2));
        WsServer server = new WsServer();
        assertEquals(WsCursor.PING, Objects.requireNonNull(server.next(in)).opcode());
        Message whole = Objects.requireNonNull(server.next(in));
        assertEquals(WsCursor.TEXT, whole.opcode());
        assertArrayEquals(new byte[] {0, 1, 2, 0, 1}, whole.payload());
    }

    @Test
    void next_whatAClientMustNotSend_isRefused() {
        ByteBuf bare = Unpooled.wrappedBuffer(WsServer.frame(WsCursor.BINARY, true, new byte[1]));
        assertThrows(WireException.class, () -> new WsServer().next(bare), "no mask");
        assertThrows(WireException.class, () -> new WsServer().next(masked(WsCursor.CONTINUATION, 1)), "no beginning");
        assertThrows(WireException.class, () -> new WsServer().next(masked(WsCursor.PING, 126)), "a long ping");
        assertThrows(WireException.class, () -> new WsServer().next(masked(WsCursor.BINARY, 2 << 20)), "too long");
    }

    @Test
    void upgrade_theRequestOfAClient_isAnsweredWhenItIsWhole() {
        ByteBuf request = Unpooled.buffer();
        WsHandshake.request(request, "127.0.0.1:1", "/ws", WsHandshake.SUBPROTOCOL, "", 3);
        assertNull(WsServer.upgrade(request.copy(0, request.readableBytes() - 1), WsHandshake.SUBPROTOCOL));
        byte[] answer = Objects.requireNonNull(WsServer.upgrade(request, WsHandshake.SUBPROTOCOL))
                .answer();
        assertTrue(WsHandshake.accepted(Unpooled.wrappedBuffer(answer), WsHandshake.SUBPROTOCOL, 3));
    }

    @Test
    void upgrade_anotherSubprotocol_isRefused() {
        ByteBuf request = Unpooled.buffer();
        WsHandshake.request(request, "127.0.0.1:1", "/ws", WsHandshake.PLAIN, "", 3);
        assertThrows(WireException.class, () -> WsServer.upgrade(request, WsHandshake.SUBPROTOCOL));
    }

    @Test
    void json_whatADeviceMaySend_isRead() {
        assertEquals(
                Trial.wanted(7, "hé"),
                JsonFrames.decode("{\"type\":\"data\",\"id\":\"7\",\"ack\":true,\"text\":\"hé\"}"));
        assertEquals(
                Trial.data(1L << 53, false, ""),
                JsonFrames.decode("{\"type\":\"data\",\"x\":{\"id\":[null]},\"id\":9007199254740992,\"text\":\"\"}"));
        assertEquals(new Frame.Ack(-1, 0), JsonFrames.decode("{\"type\":\"ack\",\"id\":\"18446744073709551615\"}"));
        assertEquals(new Frame.Renewal("newer"), JsonFrames.decode("{\"type\":\"auth\",\"token\":\"newer\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[\"type\",\"ping\"]",
                "{\"type\":\"ping\"",
                "{\"type\":\"ping\"}{}",
                "{\"type\":\"ping\",\"x\":1,\"x\":1}",
                "{\"type\":\"welcome\"}",
                "{\"type\":\"ack\",\"id\":\"-1\"}",
                "{\"type\":\"ack\",\"id\":1.5}",
                "{\"type\":\"ack\",\"id\":9007199254740993}",
                "{\"type\":\"ack\",\"status\":0}",
                "{\"type\":\"ack\",\"id\":\"1\",\"status\":256}",
                "{\"type\":\"data\",\"ack\":\"true\",\"text\":\"\"}",
                "{\"type\":\"data\",\"id\":\"1\"}",
                "{\"type\":\"data\",\"text\":\"\",\"base64\":\"\"}",
                "{\"type\":\"data\",\"base64\":\"_-8=\"}"
            })
    void json_whatADeviceMustNotSend_isRefused(String message) {
        assertThrows(WireException.class, () -> JsonFrames.decode(message));
    }
}
