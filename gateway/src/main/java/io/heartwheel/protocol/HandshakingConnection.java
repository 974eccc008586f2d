package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/**
 * Connection that detects its protocol and gives way to the connection of that protocol. It waits under the handshake deadline and claims no device; all it
 * ever sends is a close frame.
 *
 * <p>Owner: the channel's event loop.
 */
public abstract class HandshakingConnection extends Connection {
    /** Puts the successor in the pipeline and starts it. */
    @FunctionalInterface
    public interface Successor {
        /** @param acceptedNanos when the connection was accepted: its handshake deadline goes on */
        void install(Channel channel, long sessionId, long acceptedNanos);
    }

    /** A connection of this loop, not yet in a pipeline. */
    protected HandshakingConnection(SessionContext sessionContext) {
        super(sessionContext);
    }

    /** Gives way to one that begins anew with the bytes that are left here; this connection leaves the pipeline. */
    protected final void giveWayTo(Successor successor, ByteBuf in) {
        ChannelHandlerContext here = context();
        Channel channel = here.channel();
        ByteBuf left = in.isReadable() ? in.readRetainedSlice(in.readableBytes()) : null;
        giveWay();
        successor.install(channel, sessionId(), openedNanos());
        if (left != null) {
            // from here and not from the head of the pipeline: with TLS these bytes have been decrypted already
            here.fireChannelRead(left);
        }
        if (!here.isRemoved()) {
            channel.pipeline().remove(this);
        }
    }

    @Override
    public final String protocolName() {
        return "handshake";
    }

    @Override
    public final void sendPing(long number) {
        throw neverEstablished();
    }

    @Override
    public final boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        return false;
    }

    @Override
    protected final void sendProbe() {
        throw neverEstablished();
    }

    @Override
    protected final void sendKeepAlive() {
        throw neverEstablished();
    }

    @Override
    protected final void sendGoAway(CloseReason reason, GoAway goAway) {
        throw neverEstablished();
    }

    @Override
    protected final void welcome() {
        throw neverEstablished();
    }

    private static AssertionError neverEstablished() {
        return new AssertionError("only an established connection does this");
    }
}
