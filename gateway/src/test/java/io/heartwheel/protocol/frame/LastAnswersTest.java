package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ACKs to a device that leaves right behind its last messages, when the sink answers later. */
class LastAnswersTest {
    private static final String CLOSE = "080000020fa0";

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(gateway, "a").hello();

    @AfterEach
    void releaseAll() {
        device.channel.finishAndReleaseAll();
    }

    private void say(long messageId) {
        device.send(ByteBufUtil.decodeHexDump(FrameDevice.wanting(messageId)));
    }

    @Test
    void streamEnded_messagesUnanswered_areAcknowledgedBeforeTheEnd() {
        say(1);
        say(2);
        device.endStream();
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertEquals(0, gateway.registry.size(), "its id is free at once");
        assertTrue(device.isOpen());

        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(1, 0), device.lastHexOut());
        assertTrue(device.isOpen());

        gateway.replies.get(1).refused();
        assertEquals(FrameDevice.ack(2, 1), device.lastHexOut());
        assertFalse(device.isOpen());
        assertEquals(1, gateway.closed.size());
        assertEquals(0, gateway.armed());
    }

    @Test
    void close_byTheDevice_messagesUnanswered_areAcknowledgedBeforeTheEnd() {
        say(7);
        device.send(ByteBufUtil.decodeHexDump(CLOSE));
        assertTrue(device.isOpen());
        device.endStream();
        assertTrue(device.isOpen(), "the end of its stream is no news");

        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(7, 0), device.lastHexOut());
        assertFalse(device.isOpen());
    }

    @Test
    void streamEnded_sinkThatAnswersLate_isWaitedForThirtySeconds() {
        say(1);
        device.endStream();
        gateway.pass(Duration.ofMillis(29_990));
        assertTrue(device.isOpen());
        gateway.pass(Duration.ofMillis(20));
        assertFalse(device.isOpen());

        device.lastHexOut();
        gateway.replies.get(0).accepted();
        assertTrue(device.channel.outboundMessages().isEmpty());
    }

    @Test
    void shutdown_messagesUnanswered_closeFollowsTheirAcks() {
        say(1);
        say(2);
        device.connection.close(CloseReason.SHUTDOWN, "the gateway is going down");
        assertEquals(CloseReason.SHUTDOWN, gateway.closed.get(0).reason());
        assertEquals(0, gateway.registry.size(), "its id is free at once");
        gateway.pass(Duration.ofSeconds(5));
        assertTrue(device.isOpen());

        gateway.replies.get(0).accepted();
        assertEquals(FrameDevice.ack(1, 0), device.lastHexOut());
        gateway.replies.get(1).accepted();
        String close = device.lastHexOut();
        assertTrue(close.startsWith("08"), close);
        gateway.pass(Duration.ofMillis(1_020));
        assertFalse(device.isOpen(), "who says no more is waited for a second");
        assertEquals(0, gateway.armed());
    }

    @Test
    void shutdown_deviceThatLeavesMeanwhile_getsItsAckAndTheEnd() {
        say(1);
        device.connection.close(CloseReason.SHUTDOWN, "the gateway is going down");
        device.endStream();
        assertTrue(device.isOpen());
        gateway.replies.get(0).accepted();
        assertFalse(device.isOpen());
        assertTrue(device.lastHexOut().startsWith("08"), "behind the ACK");
        assertEquals(0, gateway.armed());
    }

    @Test
    void takenOver_messagesUnanswered_closesAtOnce() {
        say(1);
        device.connection.close(CloseReason.TAKEN_OVER, "a newer connection has this device id");
        assertTrue(device.lastHexOut().startsWith("08"));
    }

    @Test
    void streamEnded_nothingUnanswered_endsAtOnce() {
        say(1);
        gateway.replies.get(0).accepted();
        device.ping();
        device.endStream();
        assertFalse(device.isOpen());
        assertEquals(CloseReason.PEER_CLOSED, gateway.closed.get(0).reason());
        assertEquals(0, gateway.armed());
    }

    @Test
    void messageWithoutAck_isNotWaitedFor() {
        device.send(ByteBufUtil.decodeHexDump("050000090000000000000001ff"));
        device.endStream();
        assertFalse(device.isOpen());
    }

    @Test
    void fault_messagesUnanswered_closesAndAnswersNoMore() {
        say(1);
        device.send(new byte[] {99});
        assertEquals(CloseReason.UNKNOWN_TYPE, gateway.closed.get(0).reason());
        String close = device.lastHexOut();
        assertTrue(close.startsWith("08"), close);

        gateway.replies.get(0).accepted();
        assertEquals(close, device.lastHexOut(), "nothing behind CLOSE");
    }

    @Test
    void streamEnded_afterOurClose_endsOurs() {
        device.send(new byte[] {99});
        device.endStream();
        assertFalse(device.isOpen());
        assertEquals(CloseReason.UNKNOWN_TYPE, gateway.closed.get(0).reason());
    }
}
