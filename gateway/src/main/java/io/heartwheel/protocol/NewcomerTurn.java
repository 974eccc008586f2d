package io.heartwheel.protocol;

import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.NewcomerQueue;

/**
 * Wait of a connection for its loop to have time for newcomers, reported by the handler before it that keeps the bytes. While they wait nothing is
 * read, and what they would have brought is not held against the peer.
 *
 * <p>Event loop of the connection only.
 */
public final class NewcomerTurn {
    private NewcomerTurn() {}

    /** Whether what is to be taken now need not wait. */
    public static boolean isNow(Connection connection) {
        return ReadPauses.hasTurn(connection);
    }

    /** Does this for the connection when the loop has time for newcomers: now, or in its turn if it is not closed by then. */
    public static void take(Connection connection, Runnable work) {
        NewcomerQueue newcomers = connection.sessionContext().stats().newcomers();
        if (newcomers == null) {
            work.run();
        } else if (newcomers.hasTime()) {
            newcomers.add(work);
        } else {
            ReadPauses.add(connection, ReadPauses.SHARE_TAKEN);
            newcomers.add(() -> {
                if (connection.state() != ConnectionState.CLOSED) {
                    came(connection);
                    work.run();
                }
            });
        }
    }

    /** Bytes of the handshake wait from now on, or more of them do; then reading stops. */
    public static void awaited(Connection connection) {
        ReadPauses.turn(connection, true);
    }

    /** They are taken now. */
    public static void came(Connection connection) {
        ReadPauses.turn(connection, false);
    }
}
