package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory of unfinished frames and messages: counted to the byte, and bounded. */
class PartialFrameTest {
    private static final int LIMIT = 100_000;
    private static final int MAX_PAYLOAD = 64 << 10;

    private final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private final SessionContext sessionContext = gateway.holdingAtMost(LIMIT);
    private final List<EmbeddedChannel> open = new ArrayList<>();
    private long sessions;

    @AfterEach
    void end_ofAll_holdsNothing() {
        open.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertEquals(0, sessionContext.stats().unfinishedBytes());
    }

    private EmbeddedChannel frames() {
        FrameConnection connection = new FrameConnection(sessionContext, MAX_PAYLOAD);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(connection);
        connection.start(++sessions, gateway.now());
        String id = "dev-" + (char) ('a' + sessions % 26) + (char) ('a' + sessions / 26 % 26);
        byte[] hello = HexFormat.of().parseHex("0100001a48570100000000000000000000000000066465762d3131000000");
        System.arraycopy(id.getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, hello, 21, 6);
        channel.writeInbound(Unpooled.wrappedBuffer(hello));
        open.add(channel);
        return channel;
    }

    private EmbeddedChannel plain() {
        EmbeddedChannel channel = stranger();
        channel.writeInbound(WebSocketBench.request("/ws/plain-" + sessions));
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
        frame[2] = (byte) ((payload + 8) >>> 8);
        frame[3] = (byte) (payload + 8);
        return frame;
    }

    @Test
    void frame_unfinished_isCountedUntilItEnds() {
        EmbeddedChannel channel = frames();
        assertEquals(0, sessionContext.stats().unfinishedBytes());
        byte[] frame = data(40_000);
        send(channel, frame, 0, 30_000);
        long held = sessionContext.stats().unfinishedBytes();
        assertTrue(held >= 30_000 && held <= 65_536, () -> held + " for 30,000");
        send(channel, frame, 30_000, frame.length);
        assertEquals(0, sessionContext.stats().unfinishedBytes());
        assertTrue(channel.isOpen());
    }

    @Test
    void message_inFragments_isCountedBetweenThem() {
        EmbeddedChannel channel = plain();
        byte[] fragment = ClientFrame.of(0x02, new byte[20_000]).array();
        send(channel, fragment, 0, fragment.length);
        long held = sessionContext.stats().unfinishedBytes();
        assertTrue(held >= 20_000, () -> held + " for 20,000");
        byte[] last = ClientFrame.of(0x80, new byte[10]).array();
        send(channel, last, 0, last.length);
        assertEquals(0, sessionContext.stats().unfinishedBytes());
        assertTrue(channel.isOpen());
    }

    @Test
    void frames_overTheLimit_closeTheLeastAndNoSmallOne() {
        EmbeddedChannel quiet = frames();
        EmbeddedChannel small = frames();
        send(small, data(1_000), 0, 100);
        List<EmbeddedChannel> large = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            EmbeddedChannel channel = frames();
            large.add(channel);
            send(channel, data(60_000), 0, 50_000);
            gateway.pass(Duration.ofMillis(20));
        }
        assertTrue(large.get(7).isOpen(), "the one that came last");
        assertFalse(large.get(0).isOpen(), "the one that has been here for longest");
        assertTrue(sessionContext.stats().unfinishedBytes() <= LIMIT + MAX_PAYLOAD, "bounded");
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
        gateway.pass(Duration.ofSeconds(1));
        sessionContext.stats().limitUnfinished(4 * LIMIT);
        EmbeddedChannel second = frames();
        send(second, data(60_000), 0, 50_000);
        assertTrue(sessionContext.stats().unfinishedBytes() > LIMIT, "as much as was too much before");
        assertEquals(List.of(), gateway.closed);

        sessionContext.stats().limitUnfinished(LIMIT);
        gateway.pass(Duration.ofSeconds(1));
        send(second, data(60_000), 50_000, 50_100);
        assertFalse(first.isOpen(), "the one that has not grown");
        assertTrue(second.isOpen());
    }

    @Test
    void message_inTwoPartsAmongHundredsThatWait_comesThrough() {
        List<EmbeddedChannel> idle = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            EmbeddedChannel channel = frames();
            idle.add(channel);
            send(channel, data(2_000), 0, 1_900);
        }
        gateway.pass(Duration.ofSeconds(3));
        for (int i = 0; i < 10; i++) {
            EmbeddedChannel honest = frames();
            send(honest, data(10_000), 0, 6_000);
            gateway.pass(Duration.ofMillis(100));
            send(honest, data(10_000), 6_000, 10_012);
            assertTrue(honest.isOpen(), "honest " + i);
        }
        assertTrue(sessionContext.stats().unfinishedBytes() <= LIMIT);
        assertTrue(idle.stream().anyMatch(channel -> !channel.isOpen()));
        assertEquals(
                10,
                gateway.events.stream()
                        .filter(ConnectionEvent.Message.class::isInstance)
                        .count());
    }

    /** A byte now and then is no progress to speak of. */
    @Test
    void message_inTwoPartsAmongThoseThatDrip_comesThrough() {
        List<EmbeddedChannel> dripping = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            EmbeddedChannel channel = frames();
            dripping.add(channel);
            send(channel, data(4_000), 0, 1_900);
        }
        for (int second = 0; second < 5; second++) {
            gateway.pass(Duration.ofSeconds(1));
            int from = 1_900 + second;
            dripping.forEach(channel -> send(channel, data(4_000), from, from + 1));
        }
        EmbeddedChannel honest = frames();
        send(honest, data(60_000), 0, 40_000);
        gateway.pass(Duration.ofMillis(100));
        dripping.forEach(channel -> send(channel, data(4_000), 1_905, 1_906));
        send(honest, data(60_000), 40_000, 60_012);
        assertTrue(honest.isOpen());
    }

    /** 640 headers in 8,000 bytes were 95 KB once they were taken apart. */
    @Test
    void request_headNotEnded_holdsNoMoreThanItsBytesAndIsCounted() {
        EmbeddedChannel channel = stranger();
        String head = "GET /ws/dev-9 HTTP/1.1\r\n" + "ab: cdefg\r\n".repeat(640);
        for (int at = 0; at < head.length(); at += 100) {
            channel.writeInbound(WebSocketBench.bytes(head.substring(at, Math.min(head.length(), at + 100))));
        }
        long held = sessionContext.stats().unfinishedBytes();
        assertTrue(held >= 7_000 && held <= 16_384, () -> held + " for 7,064");
        channel.writeInbound(WebSocketBench.bytes("\r\n"));
        assertEquals(0, sessionContext.stats().unfinishedBytes());
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 4"));
    }

    private EmbeddedChannel stranger() {
        EmbeddedChannel channel = new EmbeddedChannel();
        UpgradeConnection.install(
                channel,
                sessionContext,
                MAX_PAYLOAD,
                WebSocketBench.PLAIN,
                WebSocketBench.notForwarded(),
                new PlainRequests(gateway::now),
                ++sessions,
                gateway.now());
        open.add(channel);
        return channel;
    }

    @Test
    void connection_outOfMemory_isClosedAsOverloaded() {
        EmbeddedChannel channel = frames();
        channel.pipeline().fireExceptionCaught(new OutOfMemoryError("made up"));
        assertEquals(CloseReason.OVERLOADED, gateway.closed.get(0).reason());
        assertFalse(channel.isOpen());
    }
}
