package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages to WebSocket peers, and the pongs that prove that they were read. */
class ReceivedPushTest {
    private static final int PONG = 0x8A;

    private final WebSocketBench bench = new WebSocketBench();

    private CompletableFuture<PushResult> push(EmbeddedChannel channel, Push.Ack ack) {
        String device = WebSocketBench.connection(channel).deviceId();
        return bench.gateway
                .pushes
                .send(new Push(device, 7, true, new byte[] {'x'}, ack, false, 10_000_000_000L, false))
                .toCompletableFuture();
    }

    @Test
    void received_plainPeer_provesItByItsPong() {
        EmbeddedChannel channel = bench.plain();
        CompletableFuture<PushResult> result = push(channel, Push.Ack.RECEIVED);
        List<ServerFrame> sent = ServerFrame.drain(channel);
        assertEquals(ServerFrame.of(0x81, "x"), sent.get(0));
        assertEquals(0x89, sent.get(1).first());
        byte[] number = sent.get(1).payload();
        assertEquals(8, number.length);
        channel.writeInbound(ClientFrame.of(PONG, "").bytes());
        channel.writeInbound(ClientFrame.of(PONG, new byte[8]).bytes());
        assertFalse(result.isDone());
        channel.writeInbound(ClientFrame.of(PONG, number).bytes());
        assertEquals(Outcome.RECEIVED, result.join().outcome());
        channel.finishAndReleaseAll();
    }

    @Test
    void device_plainPeer_isRefused() {
        EmbeddedChannel channel = bench.plain();
        assertEquals(
                Outcome.CANNOT_ACKNOWLEDGE,
                push(channel, Push.Ack.DEVICE).join().outcome());
        assertEquals(List.of(), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void received_framesInMessages_areProvedByPong() {
        EmbeddedChannel channel = bench.frames();
        CompletableFuture<PushResult> result = push(channel, Push.Ack.RECEIVED);
        List<ServerFrame> sent = ServerFrame.drain(channel);
        assertEquals(2, sent.size());
        byte[] ping = sent.get(1).payload();
        ping[0] = 4;
        channel.writeInbound(ClientFrame.binary(ping).bytes());
        assertEquals(Outcome.RECEIVED, result.join().outcome());
        channel.finishAndReleaseAll();
    }
}
