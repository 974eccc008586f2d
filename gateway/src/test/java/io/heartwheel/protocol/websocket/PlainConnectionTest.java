package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.DefaultsBut;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.Directory;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain WebSocket peers: identity, the response that waits for the claim, deadlines, closes. */
class PlainConnectionTest {
    private final WebSocketBench bench = new WebSocketBench();

    private static final class LateDirectory implements Directory<Session> {
        @Nullable
        Claimant<Session> asked;

        int released;

        @Override
        public void claim(Session session, long lastEpoch, Claimant<Session> claimant) {
            asked = claimant;
        }

        @Override
        public void release(Session session) {
            released++;
        }
    }

    // ------------------------------------------------------------------ identity

    @Test
    void connected_fromThePath_hasTheDecodedIdAndInterval() {
        EmbeddedChannel channel = bench.upgraded(WebSocketBench.PLAIN, "/ws/sensor%2F4%C3%BC?heartbeat_ms=30000");
        Connection connection = WebSocketBench.connection(channel);
        assertEquals("sensor/4\u00fc", connection.deviceId());
        assertEquals(30_000, connection.intervalMillis());
        ConnectionEvent.Connected event = (ConnectionEvent.Connected) bench.gateway.events.get(0);
        assertEquals("plain", event.protocol());
        channel.finishAndReleaseAll();
    }

    @Test
    void connected_framesBehindTheRequest_areTaken() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(Unpooled.wrappedBuffer(
                WebSocketBench.request("/ws?device=dev-1"),
                ClientFrame.text("early").bytes()));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 101 "));
        assertEquals(1, bench.messages().size());
        channel.finishAndReleaseAll();
    }

    @Test
    void claim_answeredLate_holdsTheAnswerAndWhatIsBehind() {
        LateDirectory directory = new LateDirectory();
        WebSocketBench late = new WebSocketBench(LivenessSettings.defaults(), AuthPolicy.ANYBODY, directory);
        EmbeddedChannel channel = late.accept(WebSocketBench.PLAIN);
        channel.writeInbound(Unpooled.wrappedBuffer(
                WebSocketBench.request("/ws/dev-1"), ClientFrame.text("early").bytes()));
        channel.writeInbound(ClientFrame.text("earlier than the answer").bytes());
        assertEquals("", WebSocketBench.text(channel));
        assertFalse(channel.config().isAutoRead());
        assertEquals(List.of(), late.messages());
        directory.asked.granted(7, null);
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 101 "));
        assertTrue(channel.config().isAutoRead());
        assertEquals(2, late.messages().size());
        assertEquals(7, late.messages().get(0).identity().epoch());
        channel.finishAndReleaseAll();
        assertEquals(1, directory.released);
    }

    @Test
    void claim_neverAnswered_is503() {
        WebSocketBench late = new WebSocketBench(LivenessSettings.defaults(), AuthPolicy.ANYBODY, new LateDirectory());
        EmbeddedChannel channel = late.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws/dev-1"));
        late.gateway.pass(Duration.ofSeconds(11));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 503 "));
        assertEquals(CloseReason.OVERLOADED, late.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void claim_grantedAfterThePeerLeft_givesTheIdBack() {
        LateDirectory directory = new LateDirectory();
        WebSocketBench late = new WebSocketBench(LivenessSettings.defaults(), AuthPolicy.ANYBODY, directory);
        EmbeddedChannel channel = late.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws/dev-1"));
        channel.finishAndReleaseAll();
        directory.asked.granted(7, null);
        assertEquals(2, directory.released);
        assertEquals(List.of(), late.gateway.events);
        assertEquals(CloseReason.PEER_CLOSED, late.reason());
    }

    @Test
    void successor_withTheSameId_takesOver() {
        EmbeddedChannel first = bench.plain();
        EmbeddedChannel second = bench.plain();
        assertEquals(4409, ServerFrame.drain(first).get(0).closeCode());
        assertEquals(CloseReason.TAKEN_OVER, bench.reason());
        assertTrue(WebSocketBench.connection(second).isEstablished());
        first.finishAndReleaseAll();
        second.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Sec-WebSocket-Protocol: heartwheel.plain", WebSocketBench.JSON})
    void successors_oneTooManyWithinAMinute_is503WithATimeToComeBack(String protocol) {
        EmbeddedChannel newcomer = bench.accept(WebSocketBench.PLAIN);
        bench.gateway.pass(Duration.ofMillis(7_400));
        List<EmbeddedChannel> earlier = Stream.generate(bench::plain).limit(5).toList();
        bench.gateway.pass(Duration.ofMillis(1_100));
        newcomer.writeInbound(WebSocketBench.request("/ws/dev-1", protocol));
        String answer = WebSocketBench.text(newcomer);
        assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
        assertTrue(Pattern.compile("\r\nRetry-After: [23]\r\n").matcher(answer).find(), answer);
        assertTrue(answer.endsWith("\r\n\r\ntwo connections with this device id displace each other\n"), answer);
        assertEquals(CloseReason.ID_CONFLICT, bench.gateway.closed.get(4).reason());
        assertTrue(WebSocketBench.connection(earlier.get(4)).isEstablished());
        assertEquals(List.of(ServerFrame.of(0x89, "")), ServerFrame.drain(earlier.get(4)), "is it still there?");
        newcomer.finishAndReleaseAll();
        earlier.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    // ------------------------------------------------------------------ deadlines

    @Test
    void request_dripped_endsAtTheHandshakeDeadline() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        String request = WebSocketBench.request("/ws/dev-1").toString(StandardCharsets.US_ASCII);
        for (int second = 0; second < 9; second++) {
            channel.writeInbound(WebSocketBench.bytes(request.substring(second, second + 1)));
            bench.gateway.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of(), bench.gateway.closed);
        bench.gateway.pass(Duration.ofMillis(1_040));
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, bench.reason());
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 408 "));
        channel.finishAndReleaseAll();
    }

    @Test
    void silence_isProbedByANativePingAndThenClosed() {
        EmbeddedChannel channel = bench.plain();
        bench.gateway.pass(Duration.ofMillis(68_540));
        assertEquals(List.of(ServerFrame.of(0x89, "")), ServerFrame.drain(channel));
        channel.writeInbound(ClientFrame.of(0x8A, "").bytes());
        bench.gateway.pass(Duration.ofMillis(68_540));
        assertEquals(List.of(ServerFrame.of(0x89, "")), ServerFrame.drain(channel));
        bench.gateway.pass(Duration.ofMillis(22_540));
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(4001, out.get(0).closeCode());
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, bench.reason());
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    @Test
    void frame_ofAnyKind_movesTheDeadline() {
        EmbeddedChannel channel = bench.plain();
        List<ClientFrame> kinds = List.of(
                ClientFrame.text("a"),
                ClientFrame.binary(new byte[3]),
                ClientFrame.ping(""),
                ClientFrame.of(0x8A, "x"),
                ClientFrame.of(0x01, "begin"),
                ClientFrame.of(0x00, "go on"),
                ClientFrame.of(0x80, "end"));
        for (ClientFrame kind : kinds) {
            bench.gateway.pass(Duration.ofSeconds(55));
            channel.writeInbound(kind.bytes());
        }
        assertEquals(0, bench.gateway.probes);
        assertEquals(0, bench.gateway.closed.size());
        channel.finishAndReleaseAll();
    }

    @Test
    void frame_dripped_isStalledAtTheProgressDeadline() {
        for (ClientFrame frame : List.of(ClientFrame.binary(new byte[2000]), ClientFrame.ping("x".repeat(100)))) {
            WebSocketBench own = new WebSocketBench();
            EmbeddedChannel channel = own.plain();
            byte[] bytes = frame.array();
            int seconds = 0;
            for (int at = 0; own.gateway.closed.isEmpty(); at++, seconds++) {
                channel.writeInbound(Unpooled.copiedBuffer(bytes, at, 1));
                own.gateway.pass(Duration.ofSeconds(1));
            }
            assertEquals(CloseReason.READ_STALLED, own.reason());
            assertEquals(11, seconds);
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void frames_streamedWithoutPause_areNeverStalled() {
        EmbeddedChannel channel = bench.plain();
        byte[] frame = ClientFrame.binary(new byte[100]).array();
        byte[] shifted = new byte[frame.length];
        System.arraycopy(frame, 50, shifted, 0, frame.length - 50);
        System.arraycopy(frame, 0, shifted, frame.length - 50, 50);
        channel.writeInbound(Unpooled.copiedBuffer(frame, 0, 50));
        for (int second = 0; second < 300; second++) {
            bench.gateway.pass(Duration.ofSeconds(1));
            channel.writeInbound(Unpooled.copiedBuffer(shifted));
        }
        assertEquals(300, bench.messages().size());
        assertEquals(List.of(), bench.gateway.closed);
        channel.finishAndReleaseAll();
    }

    @Test
    void readerIdle_setByTheOperator_replacesTheHeartbeat() {
        WebSocketBench own =
                new WebSocketBench(DefaultsBut.readerIdle(Duration.ofMinutes(3)), AuthPolicy.ANYBODY, null);
        EmbeddedChannel channel = own.plain();
        assertEquals(0, WebSocketBench.connection(channel).intervalMillis());
        own.gateway.pass(Duration.ofMillis(179_900));
        assertEquals(List.of(), own.gateway.closed);
        own.gateway.pass(Duration.ofMillis(140));
        assertEquals(CloseReason.READ_IDLE, own.reason());
        assertEquals(0, own.gateway.probes);
        assertEquals(4002, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    @Test
    void writerIdle_sendsAPongNobodyAskedFor() {
        EmbeddedChannel channel = bench.upgraded(WebSocketBench.PLAIN, "/ws/dev-1?heartbeat_ms=3600000");
        bench.gateway.pass(Duration.ofMillis(301_040));
        assertEquals(List.of(ServerFrame.of(0x8A, "")), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    private static WebSocketBench pinging(Duration every) {
        LivenessSettings.Heartbeat usual = LivenessSettings.defaults().heartbeat();
        var beat = new LivenessSettings.Heartbeat(
                true, usual.interval(), usual.min(), usual.max(), usual.grace(), true, usual.probeMargin(), every);
        return new WebSocketBench(DefaultsBut.heartbeat(beat), AuthPolicy.ANYBODY, null);
    }

    /** For so long the device sends a message each 10 s. What it hears. */
    private static List<ServerFrame> talk(WebSocketBench own, EmbeddedChannel channel, Duration time) {
        for (long told = 0; told < time.toSeconds(); told += 10) {
            own.gateway.pass(Duration.ofSeconds(10));
            channel.writeInbound(ClientFrame.text("still here").bytes());
        }
        return ServerFrame.drain(channel);
    }

    @Test
    void pingEvery_deviceThatTalksAllTheTime_isPingedInEachSuchTime() {
        WebSocketBench own = pinging(Duration.ofSeconds(30));
        EmbeddedChannel channel = own.plain();
        assertEquals(Collections.nCopies(10, ServerFrame.of(0x89, "")), talk(own, channel, Duration.ofSeconds(304)));
        assertEquals(10, own.gateway.keepAlives);
        assertEquals(0, own.gateway.probes);

        Connection connection = WebSocketBench.connection(channel);
        connection.sendData(0, true, new byte[0]);
        own.gateway.pass(Duration.ofSeconds(15));
        connection.sendData(0, true, new byte[0]);
        own.gateway.pass(Duration.ofSeconds(16));
        assertEquals(
                1,
                ServerFrame.drain(channel).stream()
                        .filter(ServerFrame.of(0x89, "")::equals)
                        .count(),
                "pushes do not stand for it: some watchdogs hear pings alone");
        channel.finishAndReleaseAll();
    }

    @Test
    void pingEvery_off_isSilentUntilWriterIdle() {
        EmbeddedChannel channel = bench.plain();
        assertEquals(List.of(), talk(bench, channel, Duration.ofSeconds(290)));
        assertEquals(List.of(ServerFrame.of(0x8A, "")), talk(bench, channel, Duration.ofSeconds(20)));
        channel.finishAndReleaseAll();
    }

    @Test
    void pingEvery_deviceThatSpeaksFrames_hasItsOwnPing() {
        WebSocketBench own = pinging(Duration.ofSeconds(30));
        EmbeddedChannel channel = own.frames();
        own.gateway.pass(Duration.ofSeconds(59));
        assertEquals(List.of(), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void pingEvery_deviceThatIsGone_isClosedAtTheSameTimeAsWithout() {
        WebSocketBench own = pinging(Duration.ofSeconds(20));
        EmbeddedChannel channel = own.plain();
        own.gateway.pass(Duration.ofMillis(89_900));
        assertEquals(List.of(), own.gateway.closed);
        own.gateway.pass(Duration.ofMillis(140));
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, own.reason());
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ farewells

    @Test
    void goAway_isSilentAndTheCloseFrameTells() {
        EmbeddedChannel channel = bench.plain();
        Connection connection = WebSocketBench.connection(channel);
        connection.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, bench.gateway.now() + 1_000_000_000L);
        assertEquals(List.of(), ServerFrame.drain(channel));
        connection.closeSoon(CloseReason.SHUTDOWN, "going down");
        assertEquals(List.of(ServerFrame.close(1001, "going down")), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void close_withALongText_isCutBetweenCharacters() {
        EmbeddedChannel channel = bench.plain();
        WebSocketBench.connection(channel).closeSoon(CloseReason.ADMIN_CLOSED, "\u20ac".repeat(60));
        assertEquals(List.of(ServerFrame.close(4007, "\u20ac".repeat(41))), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void push_becomesOneMessage() {
        EmbeddedChannel channel = bench.plain();
        Connection connection = WebSocketBench.connection(channel);
        assertTrue(connection.sendData(9, true, "h\u00e4".getBytes(StandardCharsets.UTF_8)));
        assertTrue(connection.sendData(9, false, new byte[70_000]));
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(ServerFrame.of(0x81, "h\u00e4"), out.get(0));
        assertEquals(70_000, out.get(1).payload().length);
        channel.finishAndReleaseAll();
        assertFalse(connection.sendData(9, true, new byte[0]));
    }
}
