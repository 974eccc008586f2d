package io.heartwheel.protocol.frame;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Count, by connection, of the messages of an event loop's devices that want an ACK and that the sink has not answered yet. A connection is in it only while
 * there are any, so that one at rest carries nothing of it.
 *
 * <p>It is what keeps a connection open for a moment whose peer has left, but may still read: its last messages are answered first. Loop only.
 */
final class PendingReplies {
    private static final FastThreadLocal<PendingReplies> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected PendingReplies initialValue() {
            return new PendingReplies();
        }
    };

    private final IdentityHashMap<FrameConnection, Pending> pending = new IdentityHashMap<>();

    private static final class Pending {
        int count;
        boolean peerLeft;
    }

    static PendingReplies ofThisLoop() {
        return OF_LOOP.get();
    }

    /**
     * One more has to be waited for.
     *
     * @return whether it is the only one
     */
    boolean add(FrameConnection connection) {
        return pending.computeIfAbsent(connection, first -> new Pending()).count++ == 0;
    }

    /**
     * One was answered.
     *
     * @return whether it was the last
     */
    boolean remove(FrameConnection connection) {
        Pending left = pending.get(connection);
        if (left == null || --left.count > 0) {
            return false;
        }
        pending.remove(connection);
        return true;
    }

    /** The peer has left: whether something is still to be answered. */
    boolean peerLeft(FrameConnection connection) {
        Pending left = pending.get(connection);
        if (left != null) {
            left.peerLeft = true;
        }
        return left != null;
    }

    /** Whether the peer has left and waits for answers. */
    boolean isAwaitedByOneThatLeft(FrameConnection connection) {
        @Nullable Pending left = pending.get(connection);
        return left != null && left.peerLeft;
    }
}
