package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.NewcomerQueue;
import io.heartwheel.session.Rounds;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.transport.tls.TlsSettings.Provider;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A device whose records come slowly, under virtual time: bytes of an incomplete record count as signs of life. */
class RecordHandlerTest {
    /** Interval 5 s. */
    private static final byte[] HELLO =
            HexFormat.of().parseHex("0100001948570100000013880000000000000000056465762d31000000");

    private static final byte[] PING = {3, 0, 0, 0};
    private static final Duration TIMEOUT = Duration.ofMillis(7_500);
    private static final Duration TICK = Duration.ofNanos(VirtualGateway.TICK_NANOS);

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final EmbeddedChannel server = new EmbeddedChannel();
    private final EmbeddedChannel client = new EmbeddedChannel();
    private final FrameConnection connection = new FrameConnection(gateway.sessionContext, 65_536);
    private final TlsListeners listeners =
            new TlsListeners(TlsUpkeepSettings.DEFAULTS, Runnable::run, System::nanoTime, System::currentTimeMillis);

    @AfterEach
    void end() {
        server.finishAndReleaseAll();
        client.finishAndReleaseAll();
        listeners.close();
    }

    private void establish(Provider provider) throws Exception {
        begin(provider);
        for (int i = 0; i < 10; i++) {
            carry(client, server);
            carry(server, client);
        }
        say(HELLO);
        assertTrue(connection.isEstablished());
    }

    private void begin(Provider provider) throws Exception {
        TlsListener listener = listeners.open("l", false, Fixtures.settings(provider, Fixtures.certificate("ec")));
        server.pipeline().addLast(listener.newHandler(ByteBufAllocator.DEFAULT), connection);
        connection.start(1, gateway.now());
        client.pipeline().addLast(new SslHandler(Handshake.engine(Handshake.client(null), "")));
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void handshake_loopHasNoTimeForNewcomers_waitsForEachOfItsTurns(Provider provider) throws Exception {
        Rounds rounds = new Rounds();
        NewcomerQueue queue = new NewcomerQueue(rounds, gateway::now);
        gateway.sessionContext.stats().newcomers(queue);
        begin(provider);
        SslHandler tls = server.pipeline().get(RecordHandler.class);
        int turns = 0;
        for (int i = 0; i < 10; i++) {
            queue.add(() -> gateway.stall(Duration.ofMillis(5)));
            client.runPendingTasks();
            boolean speaks = !client.outboundMessages().isEmpty();
            carry(client, server);
            boolean waits = speaks
                    && server.outboundMessages().isEmpty()
                    && !tls.handshakeFuture().isDone();
            carry(server, client);
            rounds.next();
            assertTrue(server.config().isAutoRead());
            turns += waits ? 1 : 0;
            carry(server, client);
        }
        assertTrue(turns >= 2, "the client speaks twice");
        say(HELLO);
        rounds.next();
        assertTrue(connection.isEstablished());
    }

    @Test
    void handshake_peerGoneBeforeItsTurn_isNotComputed() throws Exception {
        Rounds rounds = new Rounds();
        NewcomerQueue queue = new NewcomerQueue(rounds, gateway::now);
        gateway.sessionContext.stats().newcomers(queue);
        begin(Provider.BORINGSSL);
        queue.add(() -> gateway.stall(Duration.ofMillis(5)));
        carry(client, server);
        server.close();
        rounds.next();
        for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
            assertEquals(0, out.readableBytes());
            out.release();
        }
        assertClosed(CloseReason.PEER_CLOSED);
    }

    @Test
    void handshake_done_leavesNothingOfWhatWasOnOffer() throws Exception {
        establish(Provider.BORINGSSL);
        SSLEngine engine = server.pipeline().get(RecordHandler.class).engine();
        List<String> kept = List.of(engine.getEnabledProtocols());
        assertTrue(kept.stream().noneMatch(version -> version.startsWith("TLS")), kept::toString);
        assertEquals("TLSv1.3", engine.getSession().getProtocol());
    }

    private static void carry(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        for (ByteBuf out = from.readOutbound(); out != null; out = from.readOutbound()) {
            to.writeInbound(out);
        }
    }

    private void say(byte[] plain) {
        server.writeInbound(encrypted(plain));
    }

    private ByteBuf encrypted(byte[] plain) {
        client.writeOutbound(Unpooled.copiedBuffer(plain));
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf out = client.readOutbound(); out != null; out = client.readOutbound()) {
            all.writeBytes(out);
            out.release();
        }
        return all;
    }

    private static byte[] data(int payload) {
        byte[] frame = new byte[12 + payload];
        frame[0] = 5;
        frame[2] = (byte) ((payload + 8) >>> 8);
        frame[3] = (byte) (payload + 8);
        return frame;
    }

    private void assertClosed(CloseReason reason) {
        assertEquals(1, gateway.closed.size());
        assertEquals(reason, gateway.closed.get(0).reason());
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void records_slowAndSteady_keepTheDeviceAlive(Provider provider) throws Exception {
        establish(provider);
        ByteBuf sent = encrypted(data(60_000));
        while (sent.isReadable()) {
            server.writeInbound(sent.readBytes(Math.min(160, sent.readableBytes())));
            gateway.pass(Duration.ofSeconds(1));
            assertEquals(List.of(), gateway.closed);
        }
        sent.release();
        assertTrue(gateway.events.get(1) instanceof ConnectionEvent.Message);
        gateway.pass(TIMEOUT.plus(TICK));
        assertClosed(CloseReason.HEARTBEAT_TIMEOUT);
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void record_peerDeadInTheMiddle_closedAsEveryDeadPeer(Provider provider) throws Exception {
        establish(provider);
        ByteBuf sent = encrypted(data(15_000));
        server.writeInbound(sent.readBytes(8_000));
        gateway.pass(Duration.ofSeconds(3));
        server.writeInbound(sent.readBytes(4_000));
        sent.release();
        gateway.pass(TIMEOUT.minusNanos(1));
        assertEquals(List.of(), gateway.closed);
        gateway.pass(TICK.plusNanos(1));
        assertClosed(CloseReason.HEARTBEAT_TIMEOUT);
        assertEquals(12_000, gateway.evidence.get(0).traffic().unfinishedBytes());
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void record_dripping_isClosedAsStalled(Provider provider) throws Exception {
        establish(provider);
        ByteBuf sent = encrypted(data(15_000));
        int drips = 0;
        for (; gateway.closed.isEmpty(); drips++) {
            server.writeInbound(sent.readBytes(1));
            gateway.pass(Duration.ofSeconds(1));
        }
        sent.release();
        assertClosed(CloseReason.READ_STALLED);
        assertTrue(drips >= 10 && drips <= 12, "at one byte a second");
    }

    @Test
    void record_inTwoHalves_leavesNothingUnfinished() throws Exception {
        establish(Provider.BORINGSSL);
        ByteBuf sent = encrypted(PING);
        server.writeInbound(sent.readBytes(3));
        gateway.pass(Duration.ofSeconds(1));
        server.writeInbound(sent);
        assertEquals(0, connection.evidence().traffic().unfinishedBytes());
        gateway.pass(Duration.ofSeconds(2));
        // several in one read, and the begin of another
        ByteBuf more = encrypted(PING);
        more.writeBytes(encrypted(PING)).writeBytes(encrypted(data(100)), 7);
        server.writeInbound(more);
        assertEquals(7, connection.evidence().traffic().unfinishedBytes());
        assertEquals(List.of(), gateway.closed);
    }

    @Test
    void record_withoutContent_isNoFrameThatTheDeviceOwes() throws Exception {
        establish(Provider.BORINGSSL);
        client.pipeline().get(SslHandler.class).renegotiate(); // in TLS 1.3: another key
        client.runPendingTasks();
        ByteBuf update = encrypted(new byte[0]);
        assertTrue(update.readableBytes() > 10);
        server.writeInbound(update.readBytes(10));
        assertEquals(10, connection.evidence().traffic().unfinishedBytes());
        gateway.pass(Duration.ofSeconds(1));
        server.writeInbound(update);
        assertEquals(0, connection.evidence().traffic().unfinishedBytes());
        say(PING);
        gateway.pass(TIMEOUT.minusMillis(1));
        assertEquals(List.of(), gateway.closed);
        gateway.pass(TICK);
        assertClosed(CloseReason.HEARTBEAT_TIMEOUT);
    }
}
