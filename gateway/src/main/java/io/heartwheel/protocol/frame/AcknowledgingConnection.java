package io.heartwheel.protocol.frame;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventSink;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import java.util.concurrent.Executor;

/**
 * Connection that can tell its peer what became of a message: when the sink has answered, also behind the end of the peer's stream. What it counts as frames
 * has the names of {@link FrameType}.
 *
 * <p>Owner: the channel's event loop.
 */
public abstract class AcknowledgingConnection extends Connection {
    /** Status of an ACK whose sender has the message. */
    protected static final int ACCEPTED = 0;

    private static final int REFUSED = 1;

    /** A connection of this loop, not yet in a pipeline. */
    protected AcknowledgingConnection(SessionContext sessionContext) {
        super(sessionContext);
    }

    @Override
    protected final String frameName(int type) {
        return FrameType.name(type);
    }

    /** The connection's allocator. */
    protected final ByteBufAllocator alloc() {
        return context().alloc();
    }

    /** An ACK as it goes over the connection. Ownership goes to the caller. */
    protected abstract ByteBuf encodeAck(long messageId, int status);

    /**
     * Takes a message of the peer: for whoever waits for an answer of this id, and for the sink.
     *
     * @param payload belongs to the message from now on
     * @param ackWanted whether the peer is told what the sink says to it
     */
    protected final void data(long messageId, boolean text, byte[] payload, boolean ackWanted) {
        peerAnswered(messageId, text, payload);
        if (!ackWanted) {
            publish(message(payload, messageId, text), this);
            return;
        }
        Acknowledgement acknowledgement = new Acknowledgement(messageId);
        publish(message(payload, messageId, text), acknowledgement);
        if (!acknowledgement.given) {
            acknowledgement.pending = true;
            if (PendingReplies.ofThisLoop().add(this)) {
                outliveStream(true);
            }
        }
    }

    @Override
    protected final boolean answersFirst(CloseReason reason, String text) {
        return PendingReplies.ofThisLoop().closes(this, reason, text);
    }

    @Override
    protected final boolean owesAnswers() {
        return PendingReplies.ofThisLoop().isAwaitedByClose(this);
    }

    @Override
    protected final void streamEndedBeforeAnswers() {
        PendingReplies.ofThisLoop().peerLeft(this);
    }

    private void acknowledge(Acknowledgement acknowledgement, int status) {
        onLoop(() -> {
            acknowledgement.given = true;
            boolean awaited = !isEstablished() && owesAnswers();
            PendingReplies.Pending settled =
                    acknowledgement.pending ? PendingReplies.ofThisLoop().remove(this) : null;
            if (isEstablished()) {
                frameOut(FrameType.ACK);
                send(encodeAck(acknowledgement.messageId, status));
                if (settled != null && !framesWait() && held() == null) {
                    outliveStream(false);
                }
            } else if (awaited) {
                ChannelFuture answered = answerLate(encodeAck(acknowledgement.messageId, status));
                if (settled != null) {
                    endBehindAnswers(settled, answered);
                }
            }
        });
    }

    /** For a peer of a closed connection that may still read. */
    private ChannelFuture answerLate(ByteBuf ack) {
        frameOut(FrameType.ACK);
        sessionContext().stats().bytesOut(ack.readableBytes());
        return context().writeAndFlush(ack);
    }

    private void endBehindAnswers(PendingReplies.Pending settled, ChannelFuture answered) {
        CloseReason reason = settled.reason();
        if (reason != null) {
            boolean left = reason == CloseReason.PEER_CLOSED;
            boolean says = !left || lastTypeIn() == FrameType.CLOSE;
            endBehindAnswers(answered, reason, settled.text(), says, left || settled.hasPeerLeft());
        }
    }

    private final class Acknowledgement implements EventSink.Reply {
        private final long messageId;
        /** The sink has answered. Loop only, as is the next. */
        private boolean given;
        /** It is counted among those that have to be waited for. */
        private boolean pending;

        Acknowledgement(long messageId) {
            this.messageId = messageId;
        }

        @Override
        public void accepted() {
            acknowledge(this, ACCEPTED);
        }

        @Override
        public void refused() {
            acknowledge(this, REFUSED);
        }

        @Override
        public Executor loop() {
            return context().channel().eventLoop();
        }

        @Override
        public void beginAnswers() {
            beginBatch();
        }

        @Override
        public void endAnswers() {
            endBatch();
        }

        @Override
        public void send(long id, boolean text, byte[] payload) {
            AcknowledgingConnection.this.send(id, text, payload);
        }
    }
}
