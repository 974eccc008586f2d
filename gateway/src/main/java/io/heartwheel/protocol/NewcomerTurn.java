package io.heartwheel.protocol;

/**
 * A connection's wait for the loop to have time for newcomers, told by a handler that stands before it and keeps their bytes. While they wait nothing is
 * read, and what they would have brought is not held against the peer.
 *
 * <p>Event loop of the connection only.
 */
public final class NewcomerTurn {
    private NewcomerTurn() {}

    /** Bytes of the handshake wait from now on. */
    public static void awaited(Connection connection) {
        Holds.turn(connection, true);
    }

    /** They are taken now. */
    public static void came(Connection connection) {
        Holds.turn(connection, false);
    }
}
