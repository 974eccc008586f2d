package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages to a device and its ACKs, as bytes. */
class AcknowledgedPushTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(gateway, "a").hello();

    @AfterEach
    void releaseAll() {
        device.channel.finishAndReleaseAll();
        gateway.pass(Duration.ofSeconds(20));
        assertEquals(0, gateway.armed());
    }

    private CompletableFuture<PushResult> push(long id, Push.Ack ack, boolean reply) {
        device.lastHexOut();
        return gateway.pushes
                .send(new Push("a", id, true, new byte[] {'x'}, ack, reply, 10_000_000_000L, false))
                .toCompletableFuture();
    }

    private void say(String hex) {
        device.send(ByteBufUtil.decodeHexDump(hex));
    }

    @Test
    void ack_ofStatus0_isTold() {
        CompletableFuture<PushResult> result = push(258, Push.Ack.DEVICE, false);
        assertEquals("05030009" + "0000000000000102" + "78", device.lastHexOut());
        say("06000009" + "0000000000000102" + "01");
        say("06000009" + "0000000000000103" + "00");
        assertFalse(result.isDone());
        say("0600000a" + "0000000000000102" + "00" + "ff");
        assertEquals(Outcome.ACKNOWLEDGED, result.join().outcome());
        say("06000009" + "0000000000000102" + "00");
        assertEquals(2, gateway.pushes.strayAcks());
    }

    @Test
    void received_pongOfThePingBehindIt_isTold() {
        CompletableFuture<PushResult> result = push(258, Push.Ack.RECEIVED, false);
        String ping = device.lastHexOut();
        assertEquals("03000008", ping.substring(0, 8));
        say("04000000");
        say("04000008" + "0000000000000000");
        say("04000009" + ping.substring(8) + "00");
        assertFalse(result.isDone());
        say("04000008" + ping.substring(8));
        assertEquals(Outcome.RECEIVED, result.join().outcome());
    }

    @Test
    void reply_underTheSameId_isToldAndGoesToTheSinkToo() {
        CompletableFuture<PushResult> result = push(9, Push.Ack.DEVICE, true);
        say("06000009" + "0000000000000009" + "00");
        say("0502000a" + "0000000000000009" + "6869");
        assertEquals(Outcome.REPLIED, result.join().outcome());
        assertArrayEquals(
                new byte[] {'h', 'i'},
                Objects.requireNonNull(result.join().reply()).payload());
        assertEquals(1, gateway.replies.size());
    }

    @Test
    void push_deviceDoesNotRead_isWrittenWhenItDoesAgain() {
        writable(false);
        CompletableFuture<PushResult> result = push(1, Push.Ack.DEVICE, false);
        assertTrue(device.channel.outboundMessages().isEmpty());
        writable(true);
        assertEquals("05030009" + "0000000000000001" + "78", device.lastHexOut());
        say(FrameDevice.ack(1, 0));
        assertEquals(Outcome.ACKNOWLEDGED, result.join().outcome());
    }

    private void writable(boolean now) {
        device.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, now);
        device.channel.runPendingTasks();
    }

    @Test
    void push_deviceBackOnAnotherConnection_isSentBehindItsWelcome() {
        CompletableFuture<PushResult> result = push(1, Push.Ack.DEVICE, false);
        FrameDevice again = new FrameDevice(gateway, "a").hello();
        gateway.runTasks();
        List<Integer> types = again.channel.outboundMessages().stream()
                .map(frame -> (int) ((ByteBuf) frame).getUnsignedByte(0))
                .toList();
        assertEquals(List.of(FrameType.WELCOME, FrameType.DATA), types);
        again.send(ByteBufUtil.decodeHexDump(FrameDevice.ack(1, 0)));
        assertEquals(Outcome.ACKNOWLEDGED, result.join().outcome());
        again.channel.finishAndReleaseAll();
    }
}
