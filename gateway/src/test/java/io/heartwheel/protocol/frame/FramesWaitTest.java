package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.PauseCause;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device with frames is not read while the sink has it wait, and goes on in order when there is room. */
class FramesWaitTest {
    private static final String PING = "03000000";
    private static final String CLOSE = "080000020fa0";

    private final VirtualGateway gateway =
            new VirtualGateway(Long.MAX_VALUE - 1_000_000_000L, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(gateway, "a").hello();

    @AfterEach
    void end_ofAll_holdsNothing() {
        device.channel.finishAndReleaseAll();
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
        assertEquals(List.of(), gateway.waiters);
    }

    private void say(String... hex) {
        device.channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(String.join("", hex))));
    }

    private static String silent(long id) {
        return String.format("05000009%016xff", id);
    }

    private List<Long> ids() {
        return gateway.events.stream()
                .filter(ConnectionEvent.Message.class::isInstance)
                .map(event -> ((ConnectionEvent.Message) event).messageId())
                .toList();
    }

    private void makeRoom() {
        gateway.sinkIsFull = false;
        wake();
    }

    private void wake() {
        gateway.waiters.remove(0).roomForMore();
        device.channel.runPendingTasks();
    }

    @Test
    void messages_whileTheSinkIsFull_waitAndKeepTheirOrder() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1), silent(2), PING);
        say(FrameDevice.wanting(3));
        assertEquals(List.of(), ids());
        assertFalse(device.channel.config().isAutoRead());
        assertEquals(1, gateway.waiters.size());
        assertTrue(gateway.sessionContext.stats().unfinishedBytes() > 0, "what is kept is counted");
        assertEquals(
                List.of(PauseCause.SINK), device.connection.evidence().traffic().pausedBy());
        assertTrue(device.connection.evidence().text().contains("reading was paused, because the sink was full"));

        makeRoom();
        assertEquals(List.of(1L, 2L, 3L), ids());
        assertTrue(device.channel.config().isAutoRead());
        assertEquals(List.of(), device.connection.evidence().traffic().pausedBy());
        assertEquals("04000000", device.lastHexOut(), "the ping behind them is answered in its turn");

        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(1, 0), device.lastHexOut());
        gateway.replies.get(2).accepted();
        assertEquals(FrameDevice.ack(3, 0), device.lastHexOut());
    }

    @Test
    void roomForOne_othersBehindIt_waitAgain() {
        gateway.sinkIsFull = true;
        say(silent(1), silent(2));
        wake();
        assertEquals(1, gateway.waiters.size());
        assertEquals(List.of(), ids());
        makeRoom();
        assertEquals(List.of(1L, 2L), ids());
    }

    @Test
    void silence_whileTheSinkIsFull_isNotTheDevices() {
        gateway.pass(Duration.ofSeconds(30));
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1));
        gateway.pass(Duration.ofHours(1));
        assertEquals(List.of(), gateway.closed);
        assertEquals(0, gateway.probes);

        makeRoom();
        gateway.pass(Duration.ofSeconds(89));
        assertEquals(List.of(), gateway.closed);
        gateway.pass(Duration.ofMillis(1_100));
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, gateway.closed.get(0).reason());
    }

    @Test
    void tooFast_whileTheSinkIsFull_isReadWhenBothAreOver() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1));
        gateway.pass(Duration.ofSeconds(10));
        device.connection.rest(true, gateway.now());
        assertEquals(
                List.of(PauseCause.SINK, PauseCause.RATE),
                device.connection.evidence().traffic().pausedBy());
        makeRoom();
        assertEquals(
                List.of(PauseCause.RATE), device.connection.evidence().traffic().pausedBy());
        device.connection.rest(false, gateway.now());
        assertEquals(List.of(), device.connection.evidence().traffic().pausedBy());
    }

    @Test
    void close_whileAMessageWaits_offersItALastTimeAndTellsWhy() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1));
        device.connection.close(CloseReason.TAKEN_OVER, "a newer connection has this device id");
        assertEquals(List.of(1L), ids());
        assertEquals(List.of(), gateway.waiters);
        assertEquals(List.of(PauseCause.SINK), gateway.evidence.get(0).traffic().pausedBy());
        ConnectionEvent last = gateway.events.get(gateway.events.size() - 1);
        assertTrue(last instanceof ConnectionEvent.TakenOver, last::toString);
    }

    @Test
    void shutdown_whileAMessageWaits_closeFollowsItsAck() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1));
        device.connection.close(CloseReason.SHUTDOWN, "the gateway is going down");
        assertTrue(device.isOpen());
        assertFalse(device.lastHexOut().startsWith("08"));
        gateway.replies.get(0).accepted();
        assertTrue(device.lastHexOut().startsWith("08"));
    }

    @Test
    void reset_whileMessagesWait_offersAllThatIsHere() {
        gateway.sinkIsFull = true;
        say(silent(1), FrameDevice.wanting(2), silent(3));
        device.channel.close();
        assertEquals(List.of(1L, 2L, 3L), ids());
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
    }

    @Test
    void streamEnded_whileAMessageWaits_endsWhenAllIsTakenAndAnswered() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1), FrameDevice.wanting(2));
        device.endStream();
        assertEquals(List.of(), gateway.closed, "its messages come before the end is told");
        gateway.pass(Duration.ofSeconds(20));
        assertTrue(device.isOpen());

        wake();
        assertEquals(List.of(), ids(), "there was no room after all");
        makeRoom();
        assertEquals(List.of(1L, 2L), ids());
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertTrue(device.isOpen());
        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(1, 0), device.lastHexOut());
        gateway.replies.get(1).accepted();
        assertEquals(FrameDevice.ack(2, 0), device.lastHexOut());
        assertFalse(device.isOpen());
        assertEquals(0, gateway.armed());
    }

    @Test
    void streamEnded_whileTheFirstOfManyWaits_waitsForEach() {
        gateway.sinkIsFull = true;
        String[] all = new String[300];
        for (int i = 0; i < all.length; i++) {
            all[i] = silent(i);
        }
        say(all);
        device.endStream();
        makeRoom();
        assertEquals(all.length, ids().size());
        assertEquals(1, gateway.closed.size());
        assertFalse(device.isOpen());
    }

    @Test
    void streamEnded_sinkWithoutRoomForThirtySeconds_offersAllALastTime() {
        device.channel.freezeTime();
        gateway.sinkIsFull = true;
        say(silent(1), silent(2));
        device.endStream();
        device.channel.advanceTimeBy(29, TimeUnit.SECONDS);
        device.channel.runScheduledPendingTasks();
        assertEquals(List.of(), gateway.closed);
        device.channel.advanceTimeBy(1, TimeUnit.SECONDS);
        device.channel.runScheduledPendingTasks();
        assertEquals(List.of(1L, 2L), ids());
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertFalse(device.isOpen());
    }

    @Test
    void closeOfTheDevice_behindAMessageThatWaits_isTakenInItsTurn() {
        gateway.sinkIsFull = true;
        say(FrameDevice.wanting(1), CLOSE);
        assertEquals(List.of(), gateway.closed);
        makeRoom();
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(1, 0), device.lastHexOut());
        assertFalse(device.isOpen());
    }

    @Test
    void memoryLimit_ofWhatWaitsAtOneDevice_closesIt() {
        FrameDevice greedy = new FrameDevice(gateway, gateway.holdingAtMost(100_000), "b").hello();
        gateway.sinkIsFull = true;
        byte[] large = greedy.dataFrame(1, new byte[60_000]);
        greedy.send(large);
        assertTrue(greedy.isOpen());
        greedy.send(large);
        assertEquals(CloseReason.OVERLOADED, gateway.closed.get(0).reason());
        assertEquals(0, greedy.connection.sessionContext().stats().unfinishedBytes());
        greedy.channel.finishAndReleaseAll();
    }

    @Test
    void wake_afterTheEnd_changesNothing() {
        gateway.sinkIsFull = true;
        say(silent(1));
        var waiter = gateway.waiters.get(0);
        device.channel.close();
        waiter.roomForMore();
        device.channel.runPendingTasks();
        assertEquals(List.of(1L), ids());
    }
}
