package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A plain peer cannot be told that its message was refused: it is not read while the sink is full. */
class FullSinkTest {
    private final WebSocketBench bench = new WebSocketBench();

    @AfterEach
    void end_ofAll_holdsNothing() {
        assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
    }

    private List<String> texts() {
        return bench.messages().stream()
                .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
                .toList();
    }

    private static ByteBuf texts(String... texts) {
        ByteBuf all = Unpooled.buffer();
        for (String text : texts) {
            all.writeBytes(ClientFrame.text(text).bytes());
        }
        return all;
    }

    private void makeRoom(EmbeddedChannel channel) {
        bench.gateway.sinkIsFull = false;
        wake(channel);
    }

    private void wake(EmbeddedChannel channel) {
        bench.gateway.waiters.remove(0).roomForMore();
        channel.runPendingTasks();
    }

    @Test
    void messages_whileTheSinkIsFull_waitAndKeepTheirOrder() {
        EmbeddedChannel channel = bench.plain();
        bench.gateway.sinkIsFull = true;
        channel.writeInbound(texts("a", "b"));
        channel.writeInbound(texts("c"));

        assertEquals(List.of(), texts());
        assertFalse(channel.config().isAutoRead());
        assertEquals(1, bench.gateway.waiters.size());
        assertTrue(bench.sessionContext.stats().unfinishedBytes() > 0, "what is held is counted");

        makeRoom(channel);
        assertEquals(List.of("a", "b", "c"), texts());
        assertTrue(channel.config().isAutoRead());
        channel.writeInbound(texts("d"));
        assertEquals(List.of("a", "b", "c", "d"), texts());
        channel.finishAndReleaseAll();
    }

    @Test
    void message_inFragments_waitsLikeAnother() {
        EmbeddedChannel channel = bench.plain();
        bench.gateway.sinkIsFull = true;
        channel.writeInbound(ClientFrame.of(0x01, "a").bytes());
        channel.writeInbound(ClientFrame.of(0x80, "b").bytes());
        channel.writeInbound(texts("c"));
        assertEquals(List.of(), texts());
        makeRoom(channel);
        assertEquals(List.of("ab", "c"), texts());
        channel.finishAndReleaseAll();
    }

    @Test
    void ping_behindAMessageThatWaits_isAnsweredInItsTurn() {
        EmbeddedChannel channel = bench.plain();
        bench.gateway.sinkIsFull = true;
        channel.writeInbound(texts("a"));
        channel.writeInbound(ClientFrame.of(0x89, "p").bytes());
        assertEquals(List.of(), ServerFrame.drain(channel));
        makeRoom(channel);
        assertEquals(List.of(ServerFrame.of(0x8A, "p")), ServerFrame.drain(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void peerGone_whileMessagesWait_offersAllThatIsHere() {
        EmbeddedChannel channel = bench.plain();
        bench.gateway.sinkIsFull = true;
        channel.writeInbound(texts("a", "b", "c"));
        channel.finishAndReleaseAll();
        assertEquals(List.of("a", "b", "c"), texts());
        assertEquals(List.of(), bench.gateway.waiters);
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
    }
}
