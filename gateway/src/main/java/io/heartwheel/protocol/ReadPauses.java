package io.heartwheel.protocol;

import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.NewcomerQueue;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.TimeUnit;

/**
 * Causes for which a connection is not read, one bit each in one byte of the connection, and the way reading goes on. The socket is
 * read while the set is empty.
 *
 * <p>One cause ends by itself: frames that are here wait for their turn ({@link #SHARE_TAKEN}), so that one peer with much to say does not keep the others
 * of its loop waiting. They go on when the other sockets have been served.
 *
 * <p>Event loop of the connection only.
 */
public final class ReadPauses {
    /** Whether the device may come in, or have its id, is not known yet. */
    static final int CLAIMING = 1;
    /** The peer does not drain. */
    static final int UNWRITABLE = 2;
    /** Frames that are here wait for their turn. */
    static final int SHARE_TAKEN = 4;
    /** There is nobody any more. */
    static final int GONE = 8;
    /** The peer sends faster than it may. */
    static final int TOO_FAST = 16;
    /** The sink has no room for a message of the peer. */
    static final int SINK_FULL = 32;
    /** The peer has ended its stream, and a message that it left behind waits for the sink. */
    static final int ENDED = 64;

    /** How long a message waits for the sink whose sender has ended its stream. */
    private static final int MOST_ENDED_SECONDS = 30;

    /** Shares that are taken of what a peer leaves behind. */
    private static final int LAST_SHARES = 64;

    private ReadPauses() {}

    static void add(Connection connection, int cause) {
        connection.holds |= (byte) cause;
        connection.context().channel().config().setAutoRead(false);
    }

    static void end(Connection connection, int cause) {
        connection.holds &= (byte) ~cause;
        if (connection.holds == 0) {
            connection.context().channel().config().setAutoRead(true);
        } else if (connection.holds == SHARE_TAKEN) {
            goOnInTurn(connection);
        }
    }

    /** Goes on with frames that are here when the other sockets have been served, unless something else holds reading up. */
    static void goOnInTurn(Connection connection) {
        if (connection.holds != SHARE_TAKEN) {
            return; // whoever ends that comes here
        }
        EventLoop loop = connection.context().channel().eventLoop();
        if (loop instanceof SingleThreadEventLoop turning) {
            turning.executeAfterEventLoopIteration(() -> loop.execute(() -> goOn(connection)));
        } else {
            loop.execute(() -> goOn(connection));
        }
    }

    private static void goOn(Connection connection) {
        if (connection.state() == ConnectionState.CLOSED || connection.holds != SHARE_TAKEN) {
            return;
        }
        connection.holds = 0;
        connection.beginBatch();
        connection.takeWaiting();
        if (connection.state() != ConnectionState.CLOSED && connection.holds == 0) {
            connection.context().channel().config().setAutoRead(true);
        }
        connection.endBatch();
    }

    /** Whether the loop has time for newcomers now, so that what is to be taken need not wait. */
    public static boolean hasTurn(Connection connection) {
        NewcomerQueue newcomers = connection.sessionContext().stats().newcomers();
        return newcomers == null || newcomers.hasTime();
    }

    /**
     * Does this for the connection when the loop has time for newcomers: now, or in its turn if it is not closed by then. While it waits nothing is read, and
     * what that would have brought is not held against the peer.
     */
    public static void takeInTurn(Connection connection, Runnable work) {
        NewcomerQueue newcomers = connection.sessionContext().stats().newcomers();
        if (newcomers == null) {
            work.run();
        } else if (newcomers.hasTime()) {
            newcomers.add(work);
        } else {
            add(connection, SHARE_TAKEN);
            newcomers.add(() -> {
                if (connection.state() != ConnectionState.CLOSED) {
                    turn(connection, false);
                    work.run();
                }
            });
        }
    }

    /** Takes what a connection says before it is established when the loop has time for newcomers; until then it is not read. */
    static void takeInTurn(Connection connection) {
        NewcomerQueue newcomers = connection.sessionContext().stats().newcomers();
        if (newcomers == null) {
            connection.takeWaiting();
        } else if (newcomers.hasTime()) {
            newcomers.add(connection::takeWaiting);
        } else {
            await(connection);
            connection.holdsMore();
            newcomers.add(() -> {
                if (connection.state() != ConnectionState.CLOSED && connection.framesWait()) {
                    end(connection, SHARE_TAKEN);
                    connection.beginBatch();
                    connection.takeWaiting();
                    connection.endBatch();
                    // it may have given way to handlers that flush at the end of a read
                    connection.context().fireChannelReadComplete();
                }
            });
        }
    }

    /** Bytes of the handshake wait for the same in a handler before this connection, or do not any more. */
    public static void turn(Connection connection, boolean waits) {
        if (waits) {
            await(connection);
        } else {
            end(connection, SHARE_TAKEN);
        }
    }

    /**
     * Its bytes wait for the loop's time for newcomers. Reading stops only when more of them come meanwhile: most newcomers have said all they have to say for
     * now, and to stop and to go on are two system calls.
     */
    private static void await(Connection connection) {
        if ((connection.holds & SHARE_TAKEN) == 0) {
            connection.holds |= SHARE_TAKEN;
        } else {
            add(connection, SHARE_TAKEN);
        }
    }

    /** Takes a share of the frames that are here, whatever else holds reading up. */
    static void takeShare(Connection connection) {
        if (connection.state() == ConnectionState.CLOSED || !connection.framesWait()) {
            return;
        }
        connection.holds &= (byte) ~SHARE_TAKEN;
        connection.beginBatch();
        connection.takeWaiting();
        connection.endBatch();
    }

    /**
     * The peer has gone while frames of its wait for their turn: so many of them count that no honest peer's are lost.
     *
     * @param hold {@link #GONE} if nobody is there to answer; then nothing waits for the sink
     * @return false if a message waits for the sink
     */
    static boolean takeLastShares(Connection connection, int hold) {
        boolean waits = hold != GONE && (connection.holds & SINK_FULL) != 0;
        for (int i = 0;
                i < LAST_SHARES && !waits && connection.framesWait() && connection.state() != ConnectionState.CLOSED;
                i++) {
            connection.publishHeld();
            connection.holds = (byte) (hold | (connection.holds & ENDED));
            connection.takeWaiting();
            waits = (connection.holds & SINK_FULL) != 0;
        }
        return !waits;
    }

    /** The peer has ended its stream; the connection ends when the sink has taken what it left behind, or has had no room for long. */
    static void endLater(Connection connection) {
        if ((connection.holds & ENDED) == 0) {
            add(connection, ENDED);
            connection
                    .context()
                    .channel()
                    .eventLoop()
                    .schedule(connection::endAtLast, MOST_ENDED_SECONDS, TimeUnit.SECONDS);
        }
    }

    // ------------------------------------------------------------------ a peer that sends too fast

    /** Reading from an established peer rests from now on, which it does not yet, until its allowance has room again. */
    static void rest(Connection connection, long nowNanos) {
        add(connection, TOO_FAST);
        connection.rest(true, nowNanos);
        awaken(connection, connection.restNanos(nowNanos));
    }

    private static void awaken(Connection connection, long inNanos) {
        connection
                .context()
                .channel()
                .eventLoop()
                .schedule(() -> goOnAfterRest(connection), inNanos, TimeUnit.NANOSECONDS);
    }

    /** The time is over, unless the limits have changed meanwhile. */
    private static void goOnAfterRest(Connection connection) {
        if (!connection.isEstablished()) {
            return;
        }
        long nowNanos = connection.sessionContext().nanoTime();
        long restNanos = connection.restNanos(nowNanos);
        if (restNanos > 0) {
            awaken(connection, restNanos);
        } else {
            connection.rest(false, nowNanos);
            end(connection, TOO_FAST);
        }
    }
}
