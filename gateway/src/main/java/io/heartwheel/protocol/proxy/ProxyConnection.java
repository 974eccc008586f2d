package io.heartwheel.protocol.proxy;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.HandshakingConnection;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a trusted balancer whose PROXY header has not come yet. It stands alone in the pipeline, before TLS too, waits under the handshake
 * deadline that runs since accept, and gives way to what the listener would have begun with; nothing of it is left then.
 *
 * <p>Owner: the channel's event loop.
 */
public final class ProxyConnection extends HandshakingConnection {
    /** What the listener does with a connection. */
    public interface Listener extends Successor {
        /**
         * The origin of a connection was told.
         *
         * @throws ProtocolViolation if there is no room for one from there
         */
        void admit(Channel channel) throws ProtocolViolation;

        /** A last frame in the listener's own words; null if it has none before TLS. Ownership goes to the caller. */
        @Nullable
        ByteBuf lastWords(Channel channel, CloseReason reason, String text);
    }

    private final Listener listener;
    private final ProxyCounts counts;

    /** A connection not yet in a pipeline; {@link #start} begins its clock. */
    public ProxyConnection(SessionContext sessionContext, Listener listener, ProxyCounts counts) {
        super(sessionContext);
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
            ClientAddress.tell(context().channel(), header.address(), header.port());
            listener.admit(context().channel());
        }
        giveWayTo(listener, in);
    }

    private @Nullable ProxyHeader read(ByteBuf in) throws ProtocolViolation {
        try {
            return ProxyHeader.read(in);
        } catch (ProtocolViolation violation) {
            counts.add(ProxyCounts.Outcome.MALFORMED);
            throw violation;
        }
    }

    @Override
    protected @Nullable ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        return listener.lastWords(context().channel(), reason, text);
    }
}
