package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that speaks JSON over WebSocket: welcome, messages both ways, probes, closes, and whatever else may come. */
class JsonConnectionTest {
    private final WebSocketBench bench = new WebSocketBench();

    private static void say(EmbeddedChannel channel, String json) {
        channel.writeInbound(ClientFrame.text(json).bytes());
    }

    private static List<String> heard(EmbeddedChannel channel) {
        return ServerFrame.drain(channel).stream()
                .map(frame -> frame.first() == 0x81
                        ? frame.text()
                        : frame.closeCode() == -2 ? Integer.toHexString(frame.first()) : "close " + frame.closeCode())
                .toList();
    }

    /** An established connection of other limits than the bench's, or whose sink does not answer by itself. */
    private EmbeddedChannel connect(SessionContext sessionContext, int maxPayloadBytes) {
        EmbeddedChannel channel = new EmbeddedChannel();
        UpgradeConnection.install(
                channel,
                sessionContext,
                maxPayloadBytes,
                WebSocketBench.PLAIN,
                bench.forwarded,
                bench.plainRequests,
                1,
                bench.gateway.now());
        channel.writeInbound(WebSocketBench.request("/ws/dev-1", WebSocketBench.JSON));
        WebSocketBench.text(channel);
        return channel;
    }

    // ------------------------------------------------------------------ identity

    @Test
    void connected_asWithPlain_isWelcomedFirst() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request(
                "/ws/sensor%2F4?heartbeat_ms=30000",
                "Sec-WebSocket-Protocol: mqtt, heartwheel.plain, heartwheel.json.v1"));
        String answer = WebSocketBench.text(channel);
        assertTrue(answer.contains("\r\nSec-WebSocket-Protocol: heartwheel.json.v1\r\n"), answer);
        Connection connection = WebSocketBench.connection(channel);
        assertEquals("sensor/4", connection.deviceId());
        assertEquals("heartwheel.json.v1", connection.protocolName());
        assertTrue(
                answer.endsWith(
                        "{\"type\":\"welcome\",\"interval_ms\":30000,\"grace\":1.5,\"session\":\"1\",\"epoch\":\""
                                + connection.epoch() + "\",\"max_payload\":8192}"),
                answer);
        ConnectionEvent.Connected event = (ConnectionEvent.Connected) bench.gateway.events.get(0);
        assertEquals("heartwheel.json.v1", event.protocol());
        channel.finishAndReleaseAll();
    }

    @Test
    void request_withoutAnId_is400() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws", WebSocketBench.JSON));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 400 "));
        channel.finishAndReleaseAll();
    }

    @Test
    void subprotocols_offeredTogether_framesAreChosen() {
        EmbeddedChannel channel = bench.upgraded(
                WebSocketBench.PLAIN, "/ws/dev-1", "Sec-WebSocket-Protocol: heartwheel.json.v1, heartwheel.v1");
        assertEquals("heartwheel.v1", WebSocketBench.connection(channel).protocolName());
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ messages

    @Test
    void data_wantingAnAck_isPublishedAndAcknowledged() {
        EmbeddedChannel channel = bench.json();
        say(channel, "{\"type\":\"data\",\"id\":\"7\",\"ack\":true,\"text\":\"h\u00e9\"}");
        say(channel, "{\"type\":\"data\",\"base64\":\"AP8H\"}");
        assertEquals(List.of("{\"type\":\"ack\",\"id\":\"7\",\"status\":0}"), heard(channel));
        ConnectionEvent.Message text = bench.messages().get(0);
        assertEquals(7, text.messageId());
        assertTrue(text.text());
        assertEquals("h\u00e9", new String(text.payload(), StandardCharsets.UTF_8));
        ConnectionEvent.Message binary = bench.messages().get(1);
        assertEquals(0, binary.messageId());
        assertFalse(binary.text());
        assertTrue(Arrays.equals(new byte[] {0, (byte) 255, 7}, binary.payload()));
        channel.finishAndReleaseAll();
    }

    @Test
    void data_inFragments_isOneMessage() {
        EmbeddedChannel channel = bench.json();
        channel.writeInbound(ClientFrame.of(0x01, "{\"type\":\"da").bytes());
        channel.writeInbound(ClientFrame.of(0x80, "ta\",\"text\":\"a\"}").bytes());
        assertEquals(1, bench.messages().size());
        channel.finishAndReleaseAll();
    }

    @Test
    void data_ofTheLimit_fitsAndOneMoreIsTooLarge() {
        EmbeddedChannel channel = bench.json();
        String most = "\\\"".repeat(WebSocketBench.MAX_PAYLOAD);
        say(channel, "{\"type\":\"data\",\"text\":\"" + most + "\"}");
        assertEquals(WebSocketBench.MAX_PAYLOAD, bench.messages().get(0).payload().length);
        say(channel, "{\"type\":\"data\",\"text\":\"" + "a".repeat(WebSocketBench.MAX_PAYLOAD + 1) + "\"}");
        assertEquals(List.of("close 1009"), heard(channel));
        assertEquals(CloseReason.TOO_LARGE, bench.reason());
        channel.finishAndReleaseAll();
    }

    /** What is in an object beside a ping may be so long, and no longer. */
    @ParameterizedTest
    @CsvSource({"name,128", "number,64", "depth,15", "members,511", "digits,20", "token,4096"})
    void member_ofTheLimit_isTakenAndOneMoreIsMalformed(String what, int most) {
        for (int length : new int[] {most, most + 1}) {
            WebSocketBench own = new WebSocketBench();
            EmbeddedChannel channel = own.json();
            say(channel, memberOf(what, length));
            assertEquals(length == most, channel.isOpen());
            assertTrue(length == most || own.reason() == CloseReason.MALFORMED);
            channel.finishAndReleaseAll();
        }
    }

    private static String memberOf(String what, int length) {
        return switch (what) {
            case "name" -> "{\"type\":\"ping\",\"" + "n".repeat(length) + "\":1}";
            case "number" -> "{\"type\":\"ping\",\"x\":" + "1".repeat(length) + "}";
            case "depth" -> "{\"type\":\"ping\",\"x\":" + "[".repeat(length) + "]".repeat(length) + "}";
            case "members" -> "{\"type\":\"ping\"" + members(length - 1) + "}";
            case "digits" -> "{\"type\":\"ack\",\"id\":\"" + "0".repeat(length) + "\"}";
            default -> "{\"type\":\"auth\",\"token\":\"" + "t".repeat(length) + "\"}";
        };
    }

    private static String members(int count) {
        return IntStream.range(0, count).mapToObj(i -> ",\"x" + i + "\":1").collect(Collectors.joining());
    }

    @Test
    void auth_withTheLargestToken_fitsHoweverSmallPayloadsMustBe() {
        EmbeddedChannel channel = connect(bench.sessionContext, 128);
        say(channel, "{\"type\":\"auth\",\"token\":\"" + "t".repeat(4_096) + "\"}");
        assertEquals(List.of("{\"type\":\"auth\",\"status\":0,\"remaining_ms\":0}"), heard(channel));
        channel.finishAndReleaseAll();
    }

    /** As much as a loop has room for whatever its share of memory is: three payloads. */
    @Test
    void message_ofTheLimitInFragments_hasRoom() {
        EmbeddedChannel channel =
                connect(bench.gateway.holdingAtMost(3 * WebSocketBench.MAX_PAYLOAD), WebSocketBench.MAX_PAYLOAD);
        int most = 2 * WebSocketBench.MAX_PAYLOAD + 1_024;
        String json = "{\"type\":\"data\",\"text\":\"a\"}";
        byte[] padded = (json + " ".repeat(most - json.length())).getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < most; at += 64) {
            int first = (at == 0 ? Opcode.TEXT : Opcode.CONTINUATION) | (at + 64 == most ? Opcode.FIN : 0);
            channel.writeInbound(ClientFrame.of(first, Arrays.copyOfRange(padded, at, at + 64))
                    .bytes());
        }
        assertEquals(List.of(), bench.gateway.closed);
        assertEquals(1, bench.messages().size());
        channel.finishAndReleaseAll();
    }

    /** Otherwise the frames of one read, each of which inflates a thousandfold, would keep the others of the loop waiting. */
    @Test
    void messages_thatInflateMuch_areTakenInSeveralTurns() {
        EmbeddedChannel channel = bench.upgraded(
                WebSocketBench.COMPRESSED,
                "/ws/dev-1",
                WebSocketBench.JSON,
                "Sec-WebSocket-Extensions: permessage-deflate");
        String json = "{\"type\":\"data\",\"text\":\"" + "\\\"".repeat(WebSocketBench.MAX_PAYLOAD) + "\"}";
        ByteBuf deflated = Unpooled.buffer();
        assertTrue(Deflate.ofThisLoop()
                .deflate(ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)), deflated, json.length()));
        byte[] frame = ClientFrame.of(0xC1, ByteBufUtil.getBytes(deflated)).array();
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 100; i++) {
            all.writeBytes(frame);
        }
        channel.pipeline().fireChannelRead(all);
        channel.pipeline().fireChannelReadComplete();
        assertEquals((1 << 20) / json.length() + 1, bench.messages().size());
        channel.runPendingTasks();
        assertEquals(100, bench.messages().size());
        deflated.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void message_overItsLimit_isRefusedByItsHeader() {
        EmbeddedChannel channel = bench.json();
        byte[] frame = ClientFrame.text(" ".repeat(2 * WebSocketBench.MAX_PAYLOAD + 1_025))
                .array();
        channel.writeInbound(Unpooled.copiedBuffer(frame, 0, 14));
        assertEquals(List.of("close 1009"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void message_binary_is1003() {
        EmbeddedChannel channel = bench.json();
        channel.writeInbound(ClientFrame.binary(new byte[0]).bytes());
        assertEquals(List.of("close 1003"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void ping_ofEitherKind_isAnsweredInKind() {
        EmbeddedChannel channel = bench.json();
        say(channel, "{\"type\":\"ping\"}");
        channel.writeInbound(ClientFrame.ping("x").bytes());
        assertEquals(List.of("{\"type\":\"pong\"}", "8a"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void push_withCompression_isDeflatedAndItsAckIsNot() throws Exception {
        EmbeddedChannel channel = bench.upgraded(
                WebSocketBench.COMPRESSED,
                "/ws/dev-1",
                WebSocketBench.JSON,
                "Sec-WebSocket-Extensions: permessage-deflate");
        String text = "a".repeat(1_000);
        Connection connection = WebSocketBench.connection(channel);
        assertTrue(connection.sendData(7, true, true, text.getBytes(StandardCharsets.UTF_8)));
        say(channel, "{\"type\":\"data\",\"id\":\"1\",\"ack\":true,\"text\":\"a\"}");
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(0xC1, out.get(0).first());
        byte[] deflated = out.get(0).payload();
        assertEquals(
                "{\"type\":\"data\",\"id\":\"7\",\"ack\":true,\"text\":\"" + text + "\"}",
                new String(Deflate.ofThisLoop().inflate(deflated, deflated.length, 2_000), StandardCharsets.UTF_8));
        assertEquals(0x81, out.get(1).first());
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ deadlines and the end

    @Test
    void silence_isProbedByANativePingThatBrowsersAnswer() {
        EmbeddedChannel channel = bench.json();
        bench.gateway.pass(Duration.ofSeconds(68));
        assertEquals(List.of("89"), heard(channel));
        channel.writeInbound(ClientFrame.of(0x8A, "").bytes());
        bench.gateway.pass(Duration.ofSeconds(60));
        assertTrue(channel.isOpen());
        bench.gateway.pass(Duration.ofSeconds(31));
        assertEquals(List.of("89", "close 4001"), heard(channel));
        channel.finishAndReleaseAll();
    }

    /** A page in a browser hears nothing of a native pong. */
    @Test
    void writerIdle_sendsAPongThatThePageHears() {
        EmbeddedChannel channel =
                bench.upgraded(WebSocketBench.PLAIN, "/ws/dev-1?heartbeat_ms=3600000", WebSocketBench.JSON);
        bench.gateway.pass(Duration.ofMillis(301_040));
        assertEquals(List.of("{\"type\":\"pong\"}"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void data_whileTheSinkIsFull_waitsInItsOrderAndIsAcknowledged() {
        EmbeddedChannel channel = bench.json();
        bench.gateway.sinkIsFull = true;
        say(channel, "{\"type\":\"data\",\"id\":\"1\",\"ack\":true,\"text\":\"a\"}");
        say(channel, "{\"type\":\"ping\"}");
        assertEquals(List.of(), heard(channel));
        bench.gateway.sinkIsFull = false;
        bench.gateway.waiters.remove(0).roomForMore();
        channel.runPendingTasks();
        assertEquals(List.of("{\"type\":\"ack\",\"id\":\"1\",\"status\":0}", "{\"type\":\"pong\"}"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void sendAway_hasItsWindow() {
        EmbeddedChannel channel = bench.json();
        Connection connection = WebSocketBench.connection(channel);
        assertTrue(connection.takesGoAway());
        long deadline = bench.gateway.now() + Duration.ofSeconds(5).toNanos();
        connection.sendAway(CloseReason.SHUTDOWN, new GoAway(1_000, 30_000, "b.example:7080"), deadline);
        bench.gateway.pass(Duration.ofMillis(5_020));
        assertEquals(
                List.of(
                        "{\"type\":\"goaway\",\"code\":4200,\"retry_min_ms\":1000,\"retry_max_ms\":30000,\"host\":\"b.example:7080\"}",
                        "close 4005"),
                heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void auth_newerToken_isAnswered() {
        EmbeddedChannel channel = bench.json();
        say(channel, "{\"type\":\"auth\",\"token\":\"newer\"}");
        assertEquals(List.of("{\"type\":\"auth\",\"status\":0,\"remaining_ms\":0}"), heard(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void close_ofTheDevice_isAnsweredWithItsCode() {
        EmbeddedChannel channel = bench.json();
        channel.writeInbound(ClientFrame.close(4000, "done").bytes());
        assertEquals(List.of("close 4000"), heard(channel));
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
        channel.finishAndReleaseAll();
    }

    /** No code was said, so there is none to be returned. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void streamEnd_withoutAClose_isAnsweredAsNormal(boolean json) {
        EmbeddedChannel channel = json ? bench.json() : bench.plain();
        bench.gateway.sinkIsFull = true;
        say(channel, "{\"type\":\"data\",\"text\":\"a\"}");
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        bench.gateway.sinkIsFull = false;
        bench.gateway.waiters.remove(0).roomForMore();
        channel.runPendingTasks();
        assertEquals(List.of("close 1000"), heard(channel));
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
        channel.finishAndReleaseAll();
    }

    /** As over TCP: the last messages are acknowledged before the end. */
    @Test
    void close_messagesThatWaitForTheSink_areAcknowledgedFirst() {
        var gateway = bench.gateway;
        EmbeddedChannel channel = connect(gateway.sessionContext, WebSocketBench.MAX_PAYLOAD);
        say(channel, "{\"type\":\"data\",\"id\":\"1\",\"ack\":true,\"text\":\"a\"}");
        WebSocketBench.connection(channel).close(CloseReason.SHUTDOWN, "down");
        assertEquals(List.of(), heard(channel));
        gateway.replies.get(0).refused();
        assertEquals(List.of("{\"type\":\"ack\",\"id\":\"1\",\"status\":1}", "close 1001"), heard(channel));
        channel.finishAndReleaseAll();
        assertEquals(0, gateway.armed());
    }
}
