package io.heartwheel.protocol.proxy;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.HandshakingConnection;
import io.heartwheel.protocol.OutcomeCounts;
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
    /** The listener's treatment of a connection. */
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
    private final OutcomeCounts<ProxyOutcome> counts;

    /** A connection not yet in a pipeline; {@link #start} begins its clock. */
    public ProxyConnection(SessionContext sessionContext, Listener listener, OutcomeCounts<ProxyOutcome> counts) {
        super(sessionContext);
        this.listener = listener;
        this.counts = counts;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        ProxyHeader header;
        try {
            header = ProxyHeader.read(in);
        } catch (ProtocolViolation violation) {
            counts.add(ProxyOutcome.MALFORMED);
            throw violation;
        }
        if (header == null) {
            return;
        }
        counts.add(header.outcome());
        if (header.outcome() == ProxyOutcome.CHECKSUM) {
            throw new ProtocolViolation(CloseReason.PROXY_FAILED, "PROXY header whose CRC32C is wrong");
        }
        if (header.outcome().hasSource()) {
            ClientAddress.tell(context().channel(), header.address(), header.port());
            listener.admit(context().channel());
        }
        giveWayTo(listener, in);
    }

    @Override
    protected @Nullable ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        return listener.lastWords(context().channel(), reason, text);
    }
}
