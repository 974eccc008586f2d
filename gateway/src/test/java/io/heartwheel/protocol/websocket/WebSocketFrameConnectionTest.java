package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.Directory;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Heartwheel frames in binary messages: the same as over TCP, and the rules of the messages. */
class WebSocketFrameConnectionTest {
    private static final String PING = "03000000";
    private static final String PONG = "82:04000000";
    private static final String HELLO = HexFormat.of().formatHex(WebSocketBench.HELLO);

    private final WebSocketBench bench = new WebSocketBench();

    private static ClientFrame message(String... hex) {
        return ClientFrame.binary(HexFormat.of().parseHex(String.join("", hex)));
    }

    private static List<String> sent(EmbeddedChannel channel) {
        return ServerFrame.drain(channel).stream().map(ServerFrame::toString).toList();
    }

    @Test
    void message_ofSeveralFrames_isAnsweredFrameByFrame() {
        for (int piece : new int[] {1000, 3, 1}) {
            WebSocketBench own = new WebSocketBench();
            EmbeddedChannel channel = own.framesBeforeHello();
            var stream = new ByteArrayOutputStream();
            stream.writeBytes(message(HELLO, PING, "03000001aa").array());
            stream.writeBytes(
                    ClientFrame.of(0x02, HexFormat.of().parseHex("0300")).array());
            stream.writeBytes(ClientFrame.ping("n").array());
            stream.writeBytes(
                    ClientFrame.of(0x80, HexFormat.of().parseHex("0000")).array());
            WebSocketFrameDecoderTest.deliver(channel, stream.toByteArray(), piece);
            List<String> out = sent(channel);
            assertTrue(out.get(0).startsWith("82:0200001c"), out::toString);
            assertEquals(List.of(PONG, "82:04000001aa", "8a:6e", PONG), out.subList(1, out.size()));
            channel.finishAndReleaseAll();
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("a frame that spans messages", message("030000"), 4406, CloseReason.MALFORMED),
                Arguments.of("a frame with its payload missing", message("03000002aa"), 4406, CloseReason.MALFORMED),
                Arguments.of("an empty message", message(), 4406, CloseReason.MALFORMED),
                Arguments.of("an unknown type", message("6f000000"), 4404, CloseReason.UNKNOWN_TYPE),
                Arguments.of("a second HELLO", message(HELLO), 4407, CloseReason.DUPLICATE_HELLO),
                Arguments.of("a length over the limit", message("0580000000010009"), 4405, CloseReason.TOO_LARGE),
                Arguments.of("bad text in DATA", message("0502000a0000000000000001c328"), 4410, CloseReason.BAD_UTF8),
                Arguments.of("a text message", ClientFrame.text("hello"), 1003, CloseReason.UNKNOWN_TYPE),
                Arguments.of("an unknown opcode", ClientFrame.of(0x83, ""), 1002, CloseReason.MALFORMED),
                Arguments.of("RSV1", ClientFrame.of(0xC2, ""), 1002, CloseReason.MALFORMED),
                Arguments.of(
                        "a message over the limit",
                        ClientFrame.binary(new byte[WebSocketBench.MAX_PAYLOAD + 17]),
                        1009,
                        CloseReason.TOO_LARGE),
                Arguments.of(
                        "close with bad text",
                        ClientFrame.of(0x88, new byte[] {3, -24, -1}),
                        1007,
                        CloseReason.BAD_UTF8));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void message_withAFault_isClosedWithItsCode(String name, ClientFrame fault, int code, CloseReason reason) {
        for (int piece : new int[] {10_000, 1}) {
            WebSocketBench own = new WebSocketBench();
            EmbeddedChannel channel = own.frames();
            WebSocketFrameDecoderTest.deliver(channel, fault.array(), piece);
            WebSocketFrameDecoderTest.deliver(channel, message(PING).array(), 100);
            List<ServerFrame> out = ServerFrame.drain(channel);
            assertEquals(1, out.size(), out::toString);
            assertEquals(code, out.get(0).closeCode());
            assertEquals(reason, own.reason());
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void message_ofThousandsOfFrames_isTakenAShareATurn() {
        EmbeddedChannel channel = bench.frames();
        String frames = PING.repeat(1_000);
        ClientFrame first = ClientFrame.of(0x02, HexFormat.of().parseHex(frames));
        ClientFrame rest = ClientFrame.of(0x80, HexFormat.of().parseHex(PING));
        for (ClientFrame whole : List.of(message(frames, PING), first)) {
            channel.pipeline().fireChannelRead(whole.bytes());
            if (whole.equals(first)) {
                channel.pipeline().fireChannelRead(rest.bytes());
            }
            channel.flushOutbound();
            assertEquals(1_001, ServerFrame.drain(channel).size());
        }
        channel.writeInbound(message(frames, "030000").bytes());
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(4406, out.get(out.size() - 1).closeCode());
        channel.finishAndReleaseAll();
    }

    /** The limit of a message is that of one frame, the longest there is: 8 and 8 over the payload. */
    @Test
    void message_ofManyFramesOverTheLimit_isClosed() {
        int pings = (WebSocketBench.MAX_PAYLOAD + 16) / 4;
        EmbeddedChannel good = bench.frames();
        good.writeInbound(message("03000000".repeat(pings)).bytes());
        good.runPendingTasks();
        assertEquals(List.of(), bench.gateway.closed);
        good.finishAndReleaseAll();

        WebSocketBench own = new WebSocketBench();
        EmbeddedChannel channel = own.frames();
        channel.writeInbound(message("03000000".repeat(pings + 1)).bytes());
        assertTrue(sent(channel).get(0).startsWith("88:03f1"), "1009");
        assertEquals(CloseReason.TOO_LARGE, own.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void data_ofTheLimit_fits() {
        EmbeddedChannel channel = bench.frames();
        byte[] frame = new byte[4 + 8 + WebSocketBench.MAX_PAYLOAD];
        frame[0] = 5;
        frame[2] = (byte) ((WebSocketBench.MAX_PAYLOAD + 8) >> 8);
        frame[3] = 8;
        channel.writeInbound(ClientFrame.binary(frame).bytes());
        assertEquals(WebSocketBench.MAX_PAYLOAD, bench.messages().get(0).payload().length);
        channel.finishAndReleaseAll();
    }

    @Test
    void heartbeat_aloneInARead_isAnsweredInItsBuffer() {
        EmbeddedChannel channel = bench.frames();
        for (int mask : new int[] {0, -1, ClientFrame.MASK}) {
            channel.writeInbound(message(PING).withMask(mask).bytes());
            assertEquals(List.of(PONG), sent(channel));
            channel.writeInbound(ClientFrame.ping("").withMask(mask).bytes());
            assertEquals(List.of("8a:"), sent(channel));
        }
        assertEquals(6, bench.sessionContext.stats().framesIn(3));
        assertEquals(6, bench.sessionContext.stats().framesOut(4));
        channel.finishAndReleaseAll();
    }

    @Test
    void nativePing_beforeHello_isAnswered() {
        EmbeddedChannel channel = bench.framesBeforeHello();
        channel.writeInbound(ClientFrame.ping("x").bytes());
        assertEquals(List.of("8a:78"), sent(channel));
        channel.writeInbound(message(PING).bytes());
        assertEquals(4408, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    @Test
    void hello_notSent_endsAtTheHandshakeDeadlineOfTheAccept() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        bench.gateway.pass(Duration.ofSeconds(6));
        channel.writeInbound(WebSocketBench.request("/ws", WebSocketBench.FRAMES));
        WebSocketBench.text(channel);
        bench.gateway.pass(Duration.ofMillis(3_900));
        assertEquals(List.of(), bench.gateway.closed);
        bench.gateway.pass(Duration.ofMillis(140));
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, bench.reason());
        assertEquals(4006, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    @Test
    void close_ofEitherKind_isAnsweredByACloseFrame() {
        EmbeddedChannel channel = bench.frames();
        channel.writeInbound(message("080000020fa0", PING).bytes());
        assertEquals(List.of("88:03e8"), sent(channel));
        channel.finishAndReleaseAll();
        WebSocketBench other = new WebSocketBench();
        EmbeddedChannel second = other.frames();
        second.writeInbound(ClientFrame.close(4000, "done").bytes());
        assertEquals(List.of("88:0fa0"), sent(second));
        second.finishAndReleaseAll();
        assertEquals(
                List.of(CloseReason.PEER_CLOSED, CloseReason.PEER_CLOSED), List.of(bench.reason(), other.reason()));
    }

    @Test
    void goAway_andClose_goOutInTheEnvelope() {
        EmbeddedChannel channel = bench.frames();
        Connection connection = WebSocketBench.connection(channel);
        connection.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, bench.gateway.now() + 1_000_000_000L);
        assertTrue(sent(channel).get(0).startsWith("82:0700000b1068"));
        connection.closeSoon(CloseReason.SHUTDOWN, "down");
        assertEquals(List.of(ServerFrame.close(4200, "down")), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void successors_oneTooManyWithinAMinute_isToldWhenToComeBack() {
        EmbeddedChannel newcomer = bench.framesBeforeHello();
        bench.gateway.pass(Duration.ofMillis(7_400));
        List<EmbeddedChannel> earlier = Stream.generate(bench::frames).limit(5).toList();
        bench.gateway.pass(Duration.ofMillis(1_100));
        newcomer.writeInbound(message(HELLO).bytes());
        List<ServerFrame> told = ServerFrame.drain(newcomer);
        assertEquals(2, told.size());
        // GOAWAY of 11 bytes with 4208
        assertEquals("0700000b1070", HexFormat.of().formatHex(told.get(0).payload(), 0, 6));
        assertEquals(ServerFrame.close(4208, "two connections with this device id displace each other"), told.get(1));
        assertEquals(CloseReason.ID_CONFLICT, bench.gateway.closed.get(4).reason());
        assertEquals(List.of("82:" + PING), sent(earlier.get(4)), "is it still there?");
        newcomer.finishAndReleaseAll();
        earlier.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void claim_answeredLate_goesOnWithTheRestOfTheMessage() {
        for (int piece : new int[] {1000, 1}) {
            List<Directory.Claimant<Session>> asked = new ArrayList<>();
            WebSocketBench late =
                    new WebSocketBench(LivenessSettings.defaults(), AuthPolicy.ANYBODY, new Directory<>() {
                        @Override
                        public void claim(Session session, long lastEpoch, Claimant<Session> claimant) {
                            asked.add(claimant);
                        }

                        @Override
                        public void release(Session session) {}
                    });
            EmbeddedChannel channel = late.framesBeforeHello();
            WebSocketFrameDecoderTest.deliver(
                    channel, message(HELLO, PING, "03000001aa").array(), piece);
            channel.writeInbound(Unpooled.wrappedBuffer(message(PING).array()));
            assertEquals(List.of(), sent(channel));
            late.gateway.pass(Duration.ofSeconds(1));
            asked.get(0).granted(9, null);
            List<String> out = sent(channel);
            assertEquals(List.of(PONG, "82:04000001aa", PONG), out.subList(1, out.size()));
            channel.finishAndReleaseAll();
            assertEquals(CloseReason.PEER_CLOSED, late.reason());
        }
    }
}
