package io.heartwheel.protocol.proxy;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.Connection;
import io.heartwheel.protocol.Origin;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.LoopScope;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a trusted balancer whose PROXY header has not come yet. It stands alone in the pipeline, before TLS too, waits under the handshake
 * deadline that runs since accept, and gives way to what the listener would have begun with; nothing of it is left then.
 *
 * <p>Owner: the channel's event loop.
 */
public final class ProxyConnection extends Connection {
    /** What the listener does with a connection. */
    public interface Listener {
        /**
         * The origin of a connection was told.
         *
         * @throws ProtocolViolation if there is no room for one from there
         */
        void admit(Channel channel) throws ProtocolViolation;

        /** Goes on as if the connection had just been accepted. */
        void proceed(Channel channel, long sessionId, long acceptedNanos);

        /** A last frame in the listener's own words; null if it has none before TLS. Ownership goes to the caller. */
        @Nullable
        ByteBuf lastWords(Channel channel, CloseReason reason, String text);
    }

    private final Listener listener;
    private final ProxyCounts counts;

    /** A connection not yet in a pipeline; {@link #start} begins its clock. */
    public ProxyConnection(LoopScope scope, Listener listener, ProxyCounts counts) {
        super(scope);
        this.listener = listener;
        this.counts = counts;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        ProxyHeader header = read(in);
        if (header == null) {
            return;
        }
        counts.add(header.kind().outcome());
        if (header.kind().hasSource()) {
            Origin.tell(context().channel(), header.address(), header.port());
            listener.admit(context().channel());
        }
        proceed(in);
    }

    private @Nullable ProxyHeader read(ByteBuf in) throws ProtocolViolation {
        try {
            return ProxyHeader.read(in);
        } catch (ProtocolViolation violation) {
            counts.add(ProxyCounts.Outcome.MALFORMED);
            throw violation;
        }
    }

    private void proceed(ByteBuf in) {
        ChannelHandlerContext here = context();
        Channel channel = here.channel();
        ByteBuf behind = in.isReadable() ? in.readRetainedSlice(in.readableBytes()) : null;
        giveWay();
        listener.proceed(channel, sessionId(), openedNanos());
        if (behind != null) {
            here.fireChannelRead(behind);
        }
        if (!here.isRemoved()) {
            channel.pipeline().remove(this);
        }
    }

    @Override
    protected @Nullable ByteBuf encodeFarewell(CloseReason reason, String text) {
        return listener.lastWords(context().channel(), reason, text);
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
