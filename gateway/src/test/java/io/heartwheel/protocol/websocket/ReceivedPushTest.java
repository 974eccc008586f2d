package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    private CompletableFuture<PushResult> pushJson(boolean text, boolean reply) {
        return bench.gateway
                .pushes
                .send(new Push("dev-1", 7, text, new byte[] {'"'}, Push.Ack.DEVICE, reply, 10_000_000_000L, false))
                .toCompletableFuture();
    }

    private static void say(EmbeddedChannel channel, String json) {
        channel.writeInbound(ClientFrame.text(json).bytes());
    }

    @Test
    void device_jsonPeer_acknowledgesAndReplies() {
        EmbeddedChannel channel = bench.json();
        CompletableFuture<PushResult> result = pushJson(true, true);
        assertEquals(
                "{\"type\":\"data\",\"id\":\"7\",\"ack\":true,\"text\":\"\\\"\"}",
                ServerFrame.drain(channel).get(0).text());
        say(channel, "{\"type\":\"ack\",\"id\":\"7\",\"status\":1}");
        say(channel, "{\"type\":\"ack\",\"id\":7}");
        assertFalse(result.isDone());
        say(channel, "{\"type\":\"data\",\"id\":\"7\",\"base64\":\"AP8H\"}");
        assertEquals(Outcome.REPLIED, result.join().outcome());
        assertEquals(3, bench.messages().get(0).payload().length);
        channel.finishAndReleaseAll();
    }

    @Test
    void device_jsonPeerThatComesBack_getsItAgainBehindItsWelcome() {
        EmbeddedChannel first = bench.json();
        CompletableFuture<PushResult> result = pushJson(false, false);
        String sent = ServerFrame.drain(first).get(0).text();
        assertEquals("{\"type\":\"data\",\"id\":\"7\",\"ack\":true,\"base64\":\"Ig==\"}", sent);
        first.finishAndReleaseAll();
        EmbeddedChannel again = bench.accept(WebSocketBench.PLAIN);
        again.writeInbound(WebSocketBench.request("/ws/dev-1", WebSocketBench.JSON));
        bench.gateway.runTasks();
        String out = WebSocketBench.text(again);
        assertTrue(out.indexOf("welcome") < out.indexOf(sent) && out.endsWith(sent), out);
        say(again, "{\"type\":\"ack\",\"id\":\"7\",\"status\":0}");
        assertEquals(Outcome.ACKNOWLEDGED, result.join().outcome());
        again.finishAndReleaseAll();
    }

    @Test
    void received_jsonPeer_provesItByItsNativePong() {
        EmbeddedChannel channel = bench.json();
        CompletableFuture<PushResult> result = push(channel, Push.Ack.RECEIVED);
        byte[] number = ServerFrame.drain(channel).get(1).payload();
        channel.writeInbound(ClientFrame.of(PONG, number).bytes());
        assertEquals(Outcome.RECEIVED, result.join().outcome());
        channel.finishAndReleaseAll();
    }
}
