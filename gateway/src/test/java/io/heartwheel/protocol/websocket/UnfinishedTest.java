package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.LivenessSettings;
import io.heartwheel.session.LoopScope;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What unfinished frames and messages hold is counted to the byte, and bounded. */
class UnfinishedTest {
    private static final int LIMIT = 100_000;
    private static final int MAX_PAYLOAD = 64 << 10;

    private final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private final LoopScope scope = gateway.holdingAtMost(LIMIT);
    private final List<EmbeddedChannel> open = new ArrayList<>();
    private long sessions;

    @AfterEach
    void end_ofAll_holdsNothing() {
        open.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertEquals(0, scope.stats().unfinishedBytes());
    }

    private EmbeddedChannel frames() {
        FrameConnection connection = new FrameConnection(scope, MAX_PAYLOAD);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(connection);
        connection.start(++sessions, gateway.now());
        String id = "dev-" + (char) ('a' + sessions % 26) + (char) ('a' + sessions / 26);
        byte[] hello = HexFormat.of().parseHex("0100001a48570100000000000000000000000000066465762d3131000000");
        System.arraycopy(id.getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, hello, 21, 6);
        channel.writeInbound(Unpooled.wrappedBuffer(hello));
        open.add(channel);
        return channel;
    }

    private EmbeddedChannel plain() {
        EmbeddedChannel channel = new EmbeddedChannel();
        WebSocketEntrance.install(
                channel, scope, MAX_PAYLOAD, WebSocketBench.PLAIN, Forwarded.off(), ++sessions, gateway.now());
        channel.writeInbound(WebSocketBench.request("/ws/plain-" + sessions));
        open.add(channel);
        return channel;
    }

    private static void send(EmbeddedChannel channel, byte[] bytes, int from, int to) {
        for (int at = from; at < to && channel.isOpen(); at += 2_048) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(2_048, to - at)));
        }
    }

    private static byte[] data(int payload) {
        byte[] frame = new byte[12 + payload];
        frame[0] = 5;
        frame[2] = (byte) (payload + 8 >>> 8);
        frame[3] = (byte) (payload + 8);
        return frame;
    }

    @Test
    void frame_unfinished_isCountedUntilItEnds() {
        EmbeddedChannel channel = frames();
        assertEquals(0, scope.stats().unfinishedBytes());
        byte[] frame = data(40_000);
        send(channel, frame, 0, 30_000);
        long held = scope.stats().unfinishedBytes();
        assertTrue(held >= 30_000 && held <= 65_536, () -> held + " for 30,000");
        send(channel, frame, 30_000, frame.length);
        assertEquals(0, scope.stats().unfinishedBytes());
        assertTrue(channel.isOpen());
    }

    @Test
    void message_inFragments_isCountedBetweenThem() {
        EmbeddedChannel channel = plain();
        byte[] fragment = ClientFrame.of(0x02, new byte[20_000]).array();
        send(channel, fragment, 0, fragment.length);
        long held = scope.stats().unfinishedBytes();
        assertTrue(held >= 20_000, () -> held + " for 20,000");
        byte[] last = ClientFrame.of(0x80, new byte[10]).array();
        send(channel, last, 0, last.length);
        assertEquals(0, scope.stats().unfinishedBytes());
        assertTrue(channel.isOpen());
    }

    @Test
    void frames_overTheLimit_closeTheOneThatGrewAndNoSmallOne() {
        EmbeddedChannel quiet = frames();
        EmbeddedChannel small = frames();
        send(small, data(1_000), 0, 100);
        List<EmbeddedChannel> large = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            EmbeddedChannel channel = frames();
            large.add(channel);
            send(channel, data(60_000), 0, 50_000);
        }
        assertTrue(scope.stats().unfinishedBytes() <= LIMIT + MAX_PAYLOAD, "bounded");
        long closed = gateway.closed.stream()
                .filter(close -> close.reason() == CloseReason.OVERLOADED)
                .count();
        assertTrue(closed >= 6, () -> closed + " of 8 closed");
        assertEquals(closed, large.stream().filter(channel -> !channel.isOpen()).count());
        send(small, data(1_000), 100, 1_012);
        assertTrue(small.isOpen());
        quiet.writeInbound(Unpooled.wrappedBuffer(new byte[] {3, 0, 0, 0}));
        assertTrue(quiet.isOpen());
        large.forEach(EmbeddedChannel::finishAndReleaseAll);
        EmbeddedChannel next = frames();
        send(next, data(60_000), 0, 60_012);
        assertTrue(next.isOpen(), "room again");
    }

    @Test
    void limit_changed_countsForThoseWhoAreThere() {
        EmbeddedChannel first = frames();
        send(first, data(60_000), 0, 50_000);
        scope.stats().limitUnfinished(4 * LIMIT);
        EmbeddedChannel second = frames();
        send(second, data(60_000), 0, 50_000);
        assertTrue(scope.stats().unfinishedBytes() > LIMIT, "as much as was too much before");
        assertEquals(List.of(), gateway.closed);

        scope.stats().limitUnfinished(LIMIT);
        send(first, data(60_000), 50_000, 50_100);
        assertFalse(first.isOpen(), "the one that grew");
        assertTrue(second.isOpen());
    }

    @Test
    void fragments_overTheLimit_closeTheOneThatGrew() {
        for (int i = 0; i < 8; i++) {
            byte[] fragment = ClientFrame.of(0x02, new byte[50_000]).array();
            send(plain(), fragment, 0, fragment.length);
        }
        assertTrue(gateway.closed.stream().anyMatch(close -> close.reason() == CloseReason.OVERLOADED));
        assertTrue(scope.stats().unfinishedBytes() <= LIMIT + 2 * MAX_PAYLOAD);
        assertFalse(open.stream().allMatch(EmbeddedChannel::isOpen));
        assertTrue(open.get(0).isOpen(), "the first was there before");
    }

    @Test
    void connection_outOfMemory_isClosedAsOverloaded() {
        EmbeddedChannel channel = frames();
        channel.pipeline().fireExceptionCaught(new OutOfMemoryError("made up"));
        assertEquals(CloseReason.OVERLOADED, gateway.closed.get(0).reason());
        assertFalse(channel.isOpen());
    }
}
