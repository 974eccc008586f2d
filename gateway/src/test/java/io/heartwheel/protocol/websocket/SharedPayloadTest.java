package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heartwheel.protocol.WireForms;
import io.heartwheel.session.SharedPayload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message to many, as it goes over connections of each kind. */
class SharedPayloadTest {
    private static final String DEFLATES = "Sec-WebSocket-Extensions: permessage-deflate";
    private static final byte[] PAYLOAD = "lights off ".repeat(20).getBytes(StandardCharsets.UTF_8);

    private final WebSocketBench bench = new WebSocketBench();

    private EmbeddedChannel frames(byte lastOfId) {
        EmbeddedChannel channel = bench.framesBeforeHello();
        byte[] hello = WebSocketBench.HELLO.clone();
        hello[hello.length - 4] = lastOfId; // behind it stand two empty texts
        channel.writeInbound(ClientFrame.binary(hello).bytes());
        ServerFrame.drain(channel);
        return channel;
    }

    private static String sent(EmbeddedChannel channel) {
        ByteBuf out = channel.readOutbound();
        String hex = ByteBufUtil.hexDump(out);
        out.release();
        assertNull(channel.readOutbound());
        return hex;
    }

    private static String send(EmbeddedChannel channel, byte[] payload) {
        WebSocketBench.connection(channel).sendData(7, true, payload);
        return sent(channel);
    }

    @Test
    void message_toMany_isEncodedOnceForEachKind() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            channels.add(bench.upgraded(WebSocketBench.PLAIN, "/ws/p" + i));
            channels.add(bench.upgraded(WebSocketBench.COMPRESSED, "/ws/d" + i, DEFLATES));
            channels.add(frames((byte) ('2' + i)));
        }
        SharedPayload shared = new SharedPayload(PAYLOAD);
        List<String> alone = channels.stream().map(each -> send(each, PAYLOAD)).toList();
        shared.during(() -> {
            for (int i = 0; i < channels.size(); i++) {
                assertEquals(alone.get(i), send(channels.get(i), PAYLOAD));
            }
        });
        int forms = 0;
        for (int form = 0; form < 64; form++) {
            forms += shared.form(form) == null ? 0 : 1;
        }
        assertEquals(3, forms);
        shared.keep(WireForms.MESSAGE, ByteBuffer.allocateDirect(1).asReadOnlyBuffer());
        shared.during(() -> {
            assertEquals("00", send(channels.get(0), PAYLOAD), "what is kept is what is sent");
            assertEquals(alone.get(0), send(channels.get(0), PAYLOAD.clone()), "of this message alone");
        });
        assertEquals(alone.get(0), send(channels.get(0), PAYLOAD), "and only while it is sent to many");
        assertNotNull(shared.form(WireForms.FRAME_IN_MESSAGE));
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }
}
