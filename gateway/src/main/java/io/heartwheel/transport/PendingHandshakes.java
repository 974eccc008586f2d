package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.LoopStats;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Handshakes under way on one event loop, in the order they came. When there are as many as there may be, the oldest gives
 * its place to the newcomer: an honest device is through in a few round trips, whoever stands in front for long is most likely not one. But for its
 * first second a connection cannot be pushed out; then the newcomer is refused, on whom nothing has been spent. So an overload of honest devices
 * wastes no handshake that was begun.
 *
 * <pre>
 *   oldest | x | . | x | x | . | newest        x: established or gone since, dropped when met
 *      |                                       the row is swept when more than half of it is
 *      +-- pushed out: 4202
 * </pre>
 *
 * <p>Owner: the loop. Nothing is kept in a connection for this, and one that is established is found out by its state; each step costs
 * a constant time on average. {@link #pushedOut} and {@link #refused} may be read by any thread.
 */
final class PendingHandshakes {
    /** For so long nobody is pushed out. */
    static final long FAIR_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int SLACK = 64;

    private final LoopStats stats;
    private final int limit;
    private final ArrayDeque<Channel> row = new ArrayDeque<>();
    private final LongAdder pushedOut = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** @param limit handshakes under way on this loop, 1 or more */
    PendingHandshakes(LoopStats stats, int limit) {
        this.stats = stats;
        this.limit = limit;
    }

    /**
     * Makes room for one more.
     *
     * @return false if there is none; then it was counted as refused
     */
    boolean makeRoom(long nowNanos) {
        if (stats.handshakesPending() < limit) {
            return true;
        }
        Connection oldest = oldest();
        if (oldest == null || nowNanos - oldest.openedNanos() < FAIR_NANOS) {
            refused.increment();
            return false;
        }
        row.removeFirst();
        pushedOut.increment();
        oldest.closeSoon(CloseReason.OVERLOADED, "too many handshakes under way, and this is the oldest");
        return true;
    }

    /** A connection waits from now on; it stands in its pipeline already. */
    void enter(Channel channel) {
        oldest();
        if (row.size() > 2 * stats.handshakesPending() + SLACK) {
            row.removeIf(each -> pending(each) == null);
        }
        row.addLast(channel);
    }

    /** The first in the row that still waits. */
    private @Nullable Connection oldest() {
        for (Channel first = row.peekFirst(); first != null; first = row.peekFirst()) {
            Connection waiting = pending(first);
            if (waiting != null) {
                return waiting;
            }
            row.removeFirst();
        }
        return null;
    }

    private static @Nullable Connection pending(Channel channel) {
        return channel.pipeline().last() instanceof Connection connection
                        && (connection.state() == ConnectionState.HANDSHAKE
                                || connection.state() == ConnectionState.AUTHENTICATING
                                || connection.state() == ConnectionState.CLAIMING)
                ? connection
                : null;
    }

    /** Ends all that still wait. */
    void closeAll(CloseReason reason, String text) {
        for (Channel each : row) {
            Connection waiting = pending(each);
            if (waiting != null) {
                waiting.close(reason, text);
            }
        }
    }

    /** Handshakes under way. Any thread. */
    long pending() {
        return stats.handshakesPending();
    }

    /** How long the row is, with those that wait no more. */
    int length() {
        return row.size();
    }

    /** Those that had to go for another. */
    long pushedOut() {
        return pushedOut.sum();
    }

    /** Newcomers for whom nobody had to go yet. */
    long refused() {
        return refused.sum();
    }
}
