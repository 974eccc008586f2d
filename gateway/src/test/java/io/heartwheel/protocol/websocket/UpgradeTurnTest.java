package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.NewcomerQueue;
import io.heartwheel.session.Rounds;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An upgrade waits while its loop has no time for newcomers; established devices do not wait, and nobody is closed for it. */
class UpgradeTurnTest {
    private final WebSocketBench bench = new WebSocketBench();
    private final Rounds rounds = new Rounds();
    private final NewcomerQueue queue = new NewcomerQueue(rounds, bench.gateway::now);
    private final EmbeddedChannel live = bench.plain();
    private final EmbeddedChannel newcomer = bench.accept(WebSocketBench.PLAIN);

    UpgradeTurnTest() {
        bench.sessionContext.stats().newcomers(queue);
    }

    @AfterEach
    void release() {
        live.finishAndReleaseAll();
        newcomer.finishAndReleaseAll();
        assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
    }

    private void useTheSliceUp() {
        queue.add(() -> bench.gateway.stall(Duration.ofMillis(5)));
    }

    private void assertUpgraded() {
        String answer = WebSocketBench.text(newcomer);
        assertTrue(answer.startsWith("HTTP/1.1 101 "), answer);
        assertTrue(newcomer.config().isAutoRead());
        assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
    }

    @Test
    void request_sliceIsOver_waitsAndTheEstablishedAreServed() {
        useTheSliceUp();
        newcomer.writeInbound(WebSocketBench.request("/ws/dev-2"));
        assertEquals("", WebSocketBench.text(newcomer));
        assertFalse(newcomer.config().isAutoRead(), "nothing more is read meanwhile");
        assertTrue(bench.sessionContext.stats().unfinishedBytes() > 0);
        live.writeInbound(ClientFrame.ping("n").bytes());
        assertEquals(List.of(ServerFrame.of(0x8A, "n")), ServerFrame.drain(live));
        rounds.next();
        assertUpgraded();
        assertTrue(WebSocketBench.connection(newcomer).isEstablished());
    }

    @Test
    void request_inPieces_waitsWhenItIsWhole() {
        var request = WebSocketBench.request("/ws/dev-2");
        newcomer.writeInbound(request.readRetainedSlice(60));
        useTheSliceUp();
        newcomer.writeInbound(request.readRetainedSlice(20));
        assertTrue(newcomer.config().isAutoRead());
        newcomer.writeInbound(request);
        assertFalse(newcomer.config().isAutoRead());
        rounds.next();
        assertUpgraded();
    }

    @Test
    void framesBehindTheRequest_sliceIsOver_keepTheirOrder() {
        useTheSliceUp();
        newcomer.writeInbound(Unpooled.wrappedBuffer(
                WebSocketBench.request("/ws/dev-2"), ClientFrame.text("one").bytes()));
        newcomer.writeInbound(ClientFrame.text("two").bytes());
        rounds.next();
        assertUpgraded();
        newcomer.writeInbound(ClientFrame.text("three").bytes());
        assertEquals(
                List.of("one", "two", "three"),
                bench.messages().stream()
                        .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
                        .toList());
    }

    @Test
    void request_peerGoneMeanwhile_isReleasedAndClaimsNothing() {
        useTheSliceUp();
        newcomer.writeInbound(WebSocketBench.request("/ws/dev-1"));
        newcomer.close();
        rounds.next();
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
        assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
        assertEquals(0, bench.sessionContext.stats().handshakesPending());
        assertTrue(live.isOpen(), "whose id it wanted");
    }

    @Test
    void request_closedByUsMeanwhile_isReleased() {
        useTheSliceUp();
        newcomer.writeInbound(WebSocketBench.request("/ws/dev-2"));
        newcomer.pipeline().get(UpgradeConnection.class).giveUp();
        assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
        rounds.next();
        assertEquals(CloseReason.OVERLOADED, bench.reason());
        assertTrue(WebSocketBench.text(newcomer).startsWith("HTTP/1.1 503 "));
    }
}
