package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.NewcomerQueue;
import io.heartwheel.session.Rounds;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** First bytes of a listener of protocol auto, while the loop has no time for newcomers: they wait once, and the answer leaves at once. */
class SniffingConnectionTest {
    private static final byte[] HELLO =
            HexFormat.of().parseHex("0100001948570100000000000000000000000000056465762d31000000");

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final Rounds rounds = new Rounds();
    private final NewcomerQueue queue = new NewcomerQueue(rounds, gateway::now);
    private final EmbeddedChannel channel = new EmbeddedChannel();

    SniffingConnectionTest() {
        gateway.sessionContext.stats().newcomers(queue);
        SniffingConnection sniffing = new SniffingConnection(gateway.sessionContext, this::frames, this::frames);
        channel.pipeline().addLast(sniffing);
        sniffing.start(1, gateway.now());
    }

    private void frames(Channel on, long sessionId, long acceptedNanos) {
        FrameConnection connection = new FrameConnection(gateway.sessionContext, 65_536);
        on.pipeline().addLast(connection);
        connection.start(sessionId, acceptedNanos);
    }

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
        assertEquals(0, gateway.sessionContext.stats().handshakesPending());
    }

    private void sayHelloWithoutTime() {
        queue.add(() -> gateway.stall(Duration.ofMillis(5)));
        channel.writeInbound(Unpooled.copiedBuffer(HELLO));
        assertEquals(0, channel.outboundMessages().size());
    }

    @Test
    void hello_sliceIsOver_isAnsweredInOneTurn() {
        sayHelloWithoutTime();
        queue.add(() -> {});
        assertEquals(0, channel.outboundMessages().size());
        rounds.next();
        ByteBuf welcome = channel.readOutbound();
        assertEquals(2, welcome.readByte());
        welcome.release();
        assertTrue(channel.config().isAutoRead());
    }

    @Test
    void handshakeDeadline_helloWaits_isHeardFirst() {
        sayHelloWithoutTime();
        gateway.reads = rounds::next;
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(List.of(), gateway.closed);
        assertTrue(channel.pipeline().get(FrameConnection.class).isEstablished());
    }

    @Test
    void hello_peerGoneMeanwhile_isDoneWithOnce() {
        sayHelloWithoutTime();
        channel.close();
        rounds.next();
        assertEquals(1, gateway.closed.size());
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertEquals(0, gateway.armed());
    }
}
