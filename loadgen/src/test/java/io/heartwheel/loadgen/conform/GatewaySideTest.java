package io.heartwheel.loadgen.conform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.conform.VirtualWorld.Stream;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.Vectors;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway's side of frames, WebSocket and JSON: what a client may send is read, what it must not breaks the rule. */
final class GatewaySideTest {

    private final Facts facts = new Facts(new VirtualWorld(Carrier.TCP, null, 0));

    private Peer peer(Carrier carrier, ByteBuf... sent) {
        Peer peer = new Peer(facts, new Stream(), carrier);
        for (ByteBuf each : sent) {
            byte[] bytes = ByteBufUtil.getBytes(each);
            peer.received(bytes, bytes.length);
        }
        return peer;
    }

    private static ByteBuf masked(int opcode, String payload) {
        ByteBuf out = Unpooled.buffer();
        WsWriter writer = new WsWriter(5);
        writer.begin(out, opcode, payload.length());
        out.writeBytes(payload.getBytes(StandardCharsets.ISO_8859_1));
        writer.end(out);
        return out;
    }

    private static ByteBuf request(String path, String subprotocol) {
        ByteBuf request = Unpooled.buffer();
        WsHandshake.request(request, "127.0.0.1:1", path, subprotocol, "", 3);
        return request;
    }

    @Test
    void frames_everyVectorThatAGatewayRejects_breaksTheRule() {
        for (Vectors.Vector vector : Vectors.of("reject")) {
            Facts own = new Facts(new VirtualWorld(Carrier.TCP, null, 0));
            byte[] bytes = ByteBufUtil.decodeHexDump(vector.hex());
            new Peer(own, new Stream(), Carrier.TCP).received(bytes, bytes.length);
            assertThrows(CaseEnd.class, own::checkWire, vector::name);
        }
    }

    @Test
    void webSocket_aMessageInFragmentsWithAPingBetween_isOneMessage() {
        ByteBuf first = masked(WsCursor.TEXT, "{\"type\":");
        first.setByte(0, WsCursor.TEXT);
        Peer peer = peer(
                Carrier.JSON,
                request("/ws/a%20b?heartbeat_ms=7", WsServer.SUBPROTOCOL + ", heartwheel.bearer.secret"),
                first,
                masked(WsCursor.PING, "xy"),
                masked(WsCursor.CONTINUATION, "\"ping\"}"));
        facts.checkWire();
        assertEquals(new Frame.Hello(1, 7, 0, "a b", "secret", ""), peer.hello());
        assertEquals(2, peer.frames(Frame.Ping.class).size());
    }

    @Test
    void webSocket_whatAClientMustNotSend_breaksTheRule() {
        ByteBuf request = request("/ws/a", WsServer.SUBPROTOCOL);
        ByteBuf bare = Unpooled.wrappedBuffer(WsServer.frame(WsCursor.TEXT, true, new byte[1]));
        ByteBuf reserved = masked(WsCursor.TEXT, "{\"type\":\"ping\"}");
        reserved.setByte(0, reserved.getByte(0) | 0x40);
        assertBroken(request, bare);
        assertBroken(request, reserved);
        assertBroken(request, masked(WsCursor.CONTINUATION, "x"));
        assertBroken(request, masked(WsCursor.PING, "x".repeat(126)));
        assertBroken(request, masked(WsCursor.BINARY, "{\"type\":\"ping\"}"));
        assertBroken(request, masked(WsCursor.TEXT, "\u00c3("));
        assertBroken(request("/ws/a", WsHandshake.PLAIN));
        assertBroken(request("/other/a", WsServer.SUBPROTOCOL));
        assertBroken(request("/ws/", WsServer.SUBPROTOCOL));
        assertBroken(
                Unpooled.wrappedBuffer("GET /ws/a HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
    }

    private static void assertBroken(ByteBuf... sent) {
        GatewaySideTest other = new GatewaySideTest();
        other.peer(Carrier.JSON, sent);
        assertTrue(assertThrows(CaseEnd.class, other.facts::checkWire).seen().startsWith("the client broke"));
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
                "{\"type\":\"ack\",\"id\":\"+1\"}",
                "{\"type\":\"ack\",\"id\":\"18446744073709551616\"}",
                "{\"type\":\"ack\",\"id\":1.5}",
                "{\"type\":\"ack\",\"id\":9007199254740993}",
                "{\"type\":\"ack\",\"status\":0}",
                "{\"type\":\"ack\",\"id\":\"1\",\"status\":256}",
                "{\"type\":\"data\",\"ack\":\"true\",\"text\":\"\"}",
                "{\"type\":\"data\",\"id\":\"1\"}",
                "{\"type\":\"data\",\"text\":\"\",\"base64\":\"\"}",
                "{\"type\":\"data\",\"text\":\"\\ud83d\"}",
                "{\"type\":\"data\",\"base64\":\"_-8=\"}",
                "{\"type\":\"auth\",\"token\":\"\"}",
                "{\"type\":\"auth\",\"token\":\"\\udc00\"}"
            })
    void json_whatADeviceMustNotSend_isRefused(String message) {
        assertThrows(WireException.class, () -> JsonFrames.decode(message));
    }
}
