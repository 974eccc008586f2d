package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loop takes a bounded share of a peer's frames, then serves the others; and work is no stall. */
class ShareTest {
    private static final int MANY = 1_000;
    private static final int MOST = 128;

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(gateway, "a").hello();
    private final Shares shares = new Shares();

    ShareTest() {
        device.channel.pipeline().addFirst(shares);
    }

    /** Between two shares the loop flushes; a channel without a socket then runs what it has been given to do. */
    private static final class Shares extends ChannelOutboundHandlerAdapter {
        private int written;
        private int flushes;
        private int most;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            written++;
            ctx.write(message, promise);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            most = Math.max(most, written);
            flushes++;
            written = 0;
            ctx.flush();
        }
    }

    @AfterEach
    void release() {
        device.channel.finishAndReleaseAll();
    }

    /** One read; what the loop does later is left for later. */
    private void read(ByteBuf bytes) {
        device.channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
    }

    @Test
    void frames_manyInOneRead_aShareIsTakenATurn() {
        read(FrameDevice.pings(MANY));
        device.channel.runPendingTasks();
        assertEquals(MOST, shares.most);
        assertEquals((MANY + MOST - 1) / MOST, shares.flushes);
        assertEquals(MANY, device.pingsTaken());
        assertTrue(device.channel.config().isAutoRead());
        device.lastHexOut();
        assertEquals(MANY, gateway.sessionContext.stats().framesOut(FrameType.PONG));
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
    }

    @Test
    void frames_readWhileOthersWait_areTakenBehindThem() {
        device.channel.pipeline().fireChannelRead(FrameDevice.pings(MANY));
        assertEquals(MOST, device.pingsTaken());
        assertFalse(device.channel.config().isAutoRead(), "nothing more is read meanwhile");
        device.channel.pipeline().fireChannelRead(FrameDevice.pings(MANY));
        assertEquals(MOST, device.pingsTaken());
        read(FrameDevice.pings(1).writeBytes(device.dataFrame(7, new byte[3])));
        device.channel.runPendingTasks();
        assertEquals(2 * MANY + 1, device.pingsTaken());
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
        assertTrue(device.channel.config().isAutoRead());
    }

    @Test
    void frames_lastOneUnfinished_isOwedOnlyWhenItsTurnHasCome() {
        read(FrameDevice.pings(MOST).writeByte(FrameType.PING));
        device.channel.runPendingTasks();
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(CloseReason.READ_STALLED, gateway.closed.get(0).reason());
    }

    @Test
    void frames_peerGoesBehindThem_areTakenFirst() {
        device.channel.pipeline().fireChannelRead(FrameDevice.pings(MANY).writeBytes(device.dataFrame(9, new byte[2])));
        assertEquals(MOST, device.pingsTaken());
        device.channel.pipeline().fireChannelInactive();
        assertEquals(MANY, device.pingsTaken());
        List<ConnectionEvent> events = gateway.events;
        assertTrue(events.stream().anyMatch(ConnectionEvent.Message.class::isInstance), events::toString);
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
    }

    @Test
    void close_whileFramesWait_dropsThem() {
        device.channel.pipeline().fireChannelRead(FrameDevice.pings(MANY));
        device.connection.closeSoon(CloseReason.ADMIN_CLOSED, "enough");
        device.channel.runPendingTasks();
        assertEquals(MOST, device.pingsTaken());
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
        assertEquals(1, gateway.closed.size());
    }

    @Test
    void reads_secondsOfThemWithoutAPause_areNoStall() {
        for (int i = 0; i < 100; i++) {
            gateway.stall(Duration.ofMillis(90));
            read(FrameDevice.pings(2));
        }
        gateway.turn();
        assertEquals(List.of(), gateway.stallsFound);
        gateway.stall(Duration.ofMillis(900));
        read(FrameDevice.pings(2));
        assertEquals(List.of(Duration.ofMillis(900).toNanos()), gateway.stallsFound);
    }

    @Test
    void tlsHandshakes_secondsOfThemWithoutAPause_areNoStall() {
        FrameDevice newcomer = new FrameDevice(gateway, "b");
        for (int i = 0; i < 50; i++) {
            gateway.stall(Duration.ofMillis(90));
            newcomer.connection.undeciphered(i % 2);
        }
        gateway.turn();
        assertEquals(List.of(), gateway.stallsFound);
        newcomer.channel.finishAndReleaseAll();
    }

    @Test
    void silentDevice_whileItsLoopWorks_isClosedAtItsDeadline() {
        FrameDevice silent = new FrameDevice(gateway, "b").hello();
        for (int i = 0; i < 450; i++) {
            // a turn of 200 ms, nearly all of it work for another
            gateway.stall(Duration.ofMillis(100));
            read(FrameDevice.pings(2));
            gateway.stall(Duration.ofMillis(100));
            read(FrameDevice.pings(2));
            gateway.turn();
            assertEquals(i < 449, silent.isOpen(), "turn " + i);
        }
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, gateway.closed.get(0).reason());
        silent.channel.finishAndReleaseAll();
    }
}
