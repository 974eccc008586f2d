package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpgradeConnectionTest {
    private final WebSocketBench bench = new WebSocketBench();

    @Test
    void plain_messages_becomeDataAndAreEchoed() {
        bench.echoes = true;
        EmbeddedChannel channel = bench.plain();
        assertEquals("plain", WebSocketBench.connection(channel).protocolName());
        channel.writeInbound(ClientFrame.text("hällo").bytes());
        channel.writeInbound(ClientFrame.binary(new byte[] {1, 2, 3}).bytes());
        channel.writeInbound(ClientFrame.ping("are you there").bytes());
        assertEquals(
                List.of(
                        ServerFrame.of(0x81, "hällo"),
                        new ServerFrame(0x82, new byte[] {1, 2, 3}),
                        ServerFrame.of(0x8A, "are you there")),
                ServerFrame.drain(channel));
        assertTrue(bench.messages().get(0).text());
        assertArrayEquals(new byte[] {1, 2, 3}, bench.messages().get(1).payload());
        channel.writeInbound(ClientFrame.close(1000, "bye").bytes());
        assertEquals(List.of(ServerFrame.close(1000, "")), ServerFrame.drain(channel));
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    @Test
    void frames_hello_welcomesAndAnswersPings() {
        EmbeddedChannel channel = bench.frames();
        assertEquals("heartwheel.v1", WebSocketBench.connection(channel).protocolName());
        channel.writeInbound(ClientFrame.binary(new byte[] {3, 0, 0, 0}).bytes());
        channel.writeInbound(
                ClientFrame.binary(new byte[] {3, 0, 0, 2, 7, 8, 3, 0, 0, 0}).bytes());
        assertEquals(
                List.of(
                        new ServerFrame(0x82, new byte[] {4, 0, 0, 0}),
                        new ServerFrame(0x82, new byte[] {4, 0, 0, 2, 7, 8}),
                        new ServerFrame(0x82, new byte[] {4, 0, 0, 0})),
                ServerFrame.drain(channel));
        channel.writeInbound(ClientFrame.text("no").bytes());
        assertEquals(1003, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    @Test
    void install_framesBehindTheRequest_areDecodedAfterTheUpgrade() {
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(Unpooled.wrappedBuffer(
                WebSocketBench.request("/ws?device=dev-1"),
                ClientFrame.text("early").bytes()));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 101 "));
        assertEquals(1, bench.messages().size());
        channel.finishAndReleaseAll();
    }
}
