package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.HandshakingConnection;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;

/**
 * Connection of an {@code auto} listener whose protocol is not known yet. The first byte tells: a HELLO, or the first letter of an HTTP
 * method. It gives way to the right one, which goes on with the same bytes and under the same handshake deadline.
 */
final class SniffingConnection extends HandshakingConnection {
    private final Successor frames;
    private final Successor http;

    SniffingConnection(SessionContext sessionContext, Successor frames, Successor http) {
        super(sessionContext);
        this.frames = frames;
        this.http = http;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        int first = in.getUnsignedByte(in.readerIndex());
        if (FrameType.isKnown(first)) {
            giveWayTo(frames, in);
        } else if (first >= 'A' && first <= 'Z') {
            giveWayTo(http, in);
        } else {
            throw new ProtocolViolation(CloseReason.BAD_MAGIC, "the first byte is neither HELLO nor HTTP");
        }
    }

    @Override
    protected ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        return Frames.close(context().alloc(), reason.wireCode(), text);
    }
}
