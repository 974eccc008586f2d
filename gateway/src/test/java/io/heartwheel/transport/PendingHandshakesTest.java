package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pending handshakes: at the limit the oldest makes room. */
class PendingHandshakesTest {
    private static final int LIMIT = 3;
    private static final Duration FAIR = Duration.ofNanos(PendingHandshakes.FAIR_NANOS);

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final PendingHandshakes room = new PendingHandshakes(gateway.sessionContext.stats(), LIMIT);
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private int sessions;

    @AfterEach
    void release() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    private EmbeddedChannel come() {
        assertTrue(room.makeRoom(gateway.now()));
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        FrameConnection connection = new FrameConnection(gateway.sessionContext, 1_024);
        channel.pipeline().addLast(connection);
        connection.start(++sessions, gateway.now());
        room.enter(channel);
        return channel;
    }

    /** Establishes it. */
    private void hello(EmbeddedChannel channel) {
        channel.writeInbound(Unpooled.wrappedBuffer(
                ByteBufUtil.decodeHexDump("0100001948570100000000000000000000000000056465762d31000000")));
        gateway.runTasks();
    }

    @Test
    void makeRoom_full_pushesTheOldestOut() {
        List<EmbeddedChannel> waiting = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            waiting.add(come());
            gateway.pass(Duration.ofMillis(100));
        }
        gateway.pass(FAIR);
        come();
        assertEquals(LIMIT, room.pending());
        assertEquals(1, room.pushedOut());
        assertEquals(1, gateway.closed.size());
        assertEquals(CloseReason.OVERLOADED, gateway.closed.get(0).reason());
        assertEquals(1, gateway.evidence.get(0).identity().sessionId());
        assertTrue(waiting.get(1).isOpen());
    }

    @Test
    void closeAll_handshakesAndADevice_leavesTheDevice() {
        EmbeddedChannel device = come();
        hello(device);
        come();
        come();
        room.closeAll(CloseReason.SHUTDOWN, "the gateway is going down");
        assertEquals(0, room.pending());
        assertEquals(2, gateway.closed.size());
        assertEquals(CloseReason.SHUTDOWN, gateway.closed.get(0).reason());
        assertTrue(device.isOpen());
    }

    @Test
    void makeRoom_fullOfNewcomers_refusesTheNewest() {
        for (int i = 0; i < LIMIT; i++) {
            come();
        }
        gateway.pass(FAIR.minusMillis(1));
        assertFalse(room.makeRoom(gateway.now()));
        assertEquals(1, room.refused());
        assertEquals(LIMIT, room.pending());
        gateway.pass(Duration.ofMillis(1));
        come();
        assertEquals(1, room.pushedOut());
    }

    @Test
    void makeRoom_established_isNeverPushedOut() {
        EmbeddedChannel device = come();
        hello(device);
        assertEquals(0, room.pending());
        gateway.pass(FAIR);
        for (int i = 0; i < 10 * LIMIT; i++) {
            come();
            gateway.pass(Duration.ofMillis(500));
        }
        assertTrue(device.isOpen());
        assertEquals(LIMIT, room.pending());
        gateway.closed.forEach(closed -> assertFalse(closed.established()));
    }

    @Test
    void pending_whateverEndsAHandshake_comesBackToNothing() {
        hello(come());
        come().close();
        EmbeddedChannel garbage = come();
        garbage.writeInbound(Unpooled.wrappedBuffer(new byte[] {'x'}));
        come();
        assertEquals(1, room.pending());
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(0, room.pending());
    }

    /** One that waits at the head does not make the row grow with all that pass it. */
    @Test
    void enter_behindOneThatWaits_keepsTheRowShort() {
        come();
        for (int i = 0; i < 10_000; i++) {
            come().close();
        }
        assertTrue(room.length() < 100, "row of " + room.length());
        assertEquals(1, room.pending());
    }
}
