package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.Connection;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.LoopScope;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * A connection of an {@code auto} listener that has not yet shown what it speaks. The first byte tells: a HELLO, or the first letter of an HTTP
 * method. It gives way to the right one, which goes on with the same bytes and under the same handshake deadline.
 */
final class SniffingConnection extends Connection {
    /** Puts the protocol that was found in the pipeline and starts it. */
    interface Found {
        void install(Channel channel, long sessionId, long acceptedNanos);
    }

    private final Found frames;
    private final Found http;

    SniffingConnection(LoopScope scope, Found frames, Found http) {
        super(scope);
        this.frames = frames;
        this.http = http;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        int first = in.getUnsignedByte(in.readerIndex());
        if (FrameType.isKnown(first)) {
            hand(in, frames);
        } else if (first >= 'A' && first <= 'Z') {
            hand(in, http);
        } else {
            throw new ProtocolViolation(CloseReason.BAD_MAGIC, "the first byte is neither HELLO nor HTTP");
        }
    }

    private void hand(ByteBuf in, Found found) {
        ChannelHandlerContext here = context();
        Channel channel = here.channel();
        ByteBuf bytes = in.readRetainedSlice(in.readableBytes());
        giveWay();
        found.install(channel, sessionId(), openedNanos());
        // from here and not from the head of the pipeline: with TLS these bytes have been decrypted already
        here.fireChannelRead(bytes);
        if (!here.isRemoved()) {
            channel.pipeline().remove(this);
        }
    }

    @Override
    protected ByteBuf encodeFarewell(CloseReason reason, String text) {
        return Frames.close(context().alloc(), reason.wireCode(), text);
    }

    @Override
    public String protocolName() {
        return "handshake";
    }

    @Override
    public boolean sendData(long messageId, boolean text, byte[] payload) {
        return false;
    }

    @Override
    protected void sendProbe() {}

    @Override
    protected void sendKeepAlive() {}

    @Override
    protected void sendGoAway(CloseReason reason, GoAway goAway) {}

    @Override
    protected void welcome() {}
}
