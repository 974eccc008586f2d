package io.heartwheel.protocol.frame;

import io.heartwheel.event.CloseReason;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Count, by connection, of the messages of an event loop's devices that want an ACK and that the sink has not answered yet. A connection is in it only while
 * there are any, so that one at rest carries nothing of it.
 *
 * <p>It is what keeps a closed connection open for a moment: its last messages are answered first, then the last frame is said. Loop only.
 */
final class PendingReplies {
    private static final FastThreadLocal<PendingReplies> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected PendingReplies initialValue() {
            return new PendingReplies();
        }
    };

    private final IdentityHashMap<AcknowledgingConnection, Pending> pending = new IdentityHashMap<>();

    /** Replies due on one connection, and what is said behind them. */
    static final class Pending {
        private int count;
        private @Nullable CloseReason reason;
        private String text = "";
        private boolean peerLeft;

        /** Why the connection was closed meanwhile; null if it was not, or not in a way that waits for the answers. */
        @Nullable
        CloseReason reason() {
            return reason;
        }

        /** The words of the last frame. */
        String text() {
            return text;
        }

        /** Whether the peer has ended its stream since it was closed. */
        boolean hasPeerLeft() {
            return peerLeft;
        }
    }

    static PendingReplies ofThisLoop() {
        return OF_LOOP.get();
    }

    /**
     * One more has to be waited for.
     *
     * @return whether it is the only one
     */
    boolean add(AcknowledgingConnection connection) {
        return pending.computeIfAbsent(connection, first -> new Pending()).count++ == 0;
    }

    /** One was answered: what was waited for, if it was the last. */
    @Nullable
    Pending remove(AcknowledgingConnection connection) {
        Pending left = pending.get(connection);
        if (left == null || --left.count > 0) {
            return null;
        }
        pending.remove(connection);
        return left;
    }

    /** The connection is closed: whether something is still to be answered. */
    boolean closes(AcknowledgingConnection connection, CloseReason reason, String text) {
        Pending left = pending.get(connection);
        if (left != null) {
            left.reason = reason;
            left.text = text;
        }
        return left != null;
    }

    /** The peer of a closed connection has ended its stream. */
    void peerLeft(AcknowledgingConnection connection) {
        Pending left = pending.get(connection);
        if (left != null) {
            left.peerLeft = true;
        }
    }

    /** Whether it is closed, and its last frame waits for answers. */
    boolean isAwaitedByClose(AcknowledgingConnection connection) {
        Pending left = pending.get(connection);
        return left != null && left.reason != null;
    }
}
