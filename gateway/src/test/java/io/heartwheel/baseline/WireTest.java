package io.heartwheel.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.LivenessSettings;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** The crowd speaks what the gateway understands; the rest of its wires is heard in {@link BaselineServerTest}. */
class WireTest {
    @Test
    void heartwheel_helloAndBeat_areAnsweredWithAsManyBytes() {
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        FrameConnection connection = new FrameConnection(gateway.scope, 65_536);
        EmbeddedChannel channel = new EmbeddedChannel(connection);
        connection.start(1, 0);
        channel.writeInbound(Unpooled.copiedBuffer(Wire.HEARTWHEEL.hello("dev-1", 30_000)));
        assertEquals(Wire.HEARTWHEEL.helloReplyBytes("dev-1"), bytesOut(channel));
        assertEquals(30_000, connection.intervalMillis());
        channel.writeInbound(Unpooled.copiedBuffer(Wire.HEARTWHEEL.beat()));
        assertEquals(Wire.HEARTWHEEL.beatReplyBytes(), bytesOut(channel));
        channel.finishAndReleaseAll();
    }

    private static int bytesOut(EmbeddedChannel channel) {
        int bytes = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            bytes += out.readableBytes();
            out.release();
        }
        return bytes;
    }
}
