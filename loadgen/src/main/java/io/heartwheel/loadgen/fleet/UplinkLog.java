package io.heartwheel.loadgen.fleet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one device: what was sent on each of its connections, what was acknowledged, and what came out of the gateway. Owned by the
 * device's event loop. Message numbers count from 1 over the device's life; a message that is sent again has several places.
 *
 * <pre>
 *   connection (epoch)      1            |  2
 *   place                   0  1  2  3   |  0  1  2  3
 *   message                 1  2  3  4   |  3  4  5  6        3 and 4 were not acknowledged on the first
 *   came out                1  2  3      |     4  5  6        each once, those of a connection in the order of their places
 * </pre>
 *
 * <p>Costs 4 bytes a message and 4 each time it is sent.
 */
final class UplinkLog {

    private static final int FEW = 16;

    private int[] bytes = new int[FEW];
    private int messages;
    private final BitSet accepted = new BitSet();
    private final BitSet came = new BitSet();
    private final List<Connection> connections = new ArrayList<>(1);
    private Connection newest = new Connection(0);

    /** How a message came out. */
    enum Arrival {
        /** For the first time, and in its place. */
        FIRST,
        /** For the first time, behind one that was sent later on the same connection. */
        OUT_OF_ORDER,
        /** Again. */
        DOUBLED,
        /** It was never sent, or not on that connection. */
        UNKNOWN
    }

    /** The messages sent on a connection, in their order. */
    private static final class Connection {
        private final long epoch;
        private int[] sent = new int[FEW];
        private int many;
        /** What came out last was sent before this place. */
        private int reached;

        Connection(long epoch) {
            this.epoch = epoch;
        }

        /** The next place at which this message was sent; else an earlier one; below 0: none. */
        int place(int message) {
            for (int place = reached; place < many; place++) {
                if (sent[place] == message) {
                    return place;
                }
            }
            int before = reached - 1;
            while (before >= 0 && sent[before] != message) {
                before--;
            }
            return before;
        }
    }

    /** The device was welcomed on a connection. */
    void welcomed(long epoch) {
        newest = new Connection(epoch);
        connections.add(newest);
    }

    /** A message is sent, for the first time if its number is new. */
    void sent(int message, int length) {
        newest.sent = withRoom(newest.sent, newest.many);
        newest.sent[newest.many++] = message;
        bytes = withRoom(bytes, message);
        bytes[message] = length;
        messages = Math.max(messages, message);
    }

    private static int[] withRoom(int[] array, int at) {
        return at < array.length ? array : Arrays.copyOf(array, 2 * at);
    }

    /** It was acknowledged; answers whether it had come out before that. */
    boolean accepted(int message) {
        accepted.set(message);
        return came.get(message);
    }

    /** Whether it was acknowledged. */
    boolean isAccepted(int message) {
        return accepted.get(message);
    }

    /** Length of a message that was sent; -1 for one that was not. */
    int bytes(long message) {
        return message < 1 || message > messages ? -1 : bytes[(int) message];
    }

    /** A message came out as one of the connection with this epoch. */
    Arrival came(int message, long epoch) {
        Connection connection = connection(epoch);
        int place = connection == null ? -1 : connection.place(message);
        if (connection == null || place < 0) {
            return Arrival.UNKNOWN;
        }
        if (came.get(message)) {
            return Arrival.DOUBLED;
        }
        came.set(message);
        boolean inOrder = place >= connection.reached;
        connection.reached = Math.max(connection.reached, place + 1);
        return inOrder ? Arrival.FIRST : Arrival.OUT_OF_ORDER;
    }

    private @Nullable Connection connection(long epoch) {
        for (int i = connections.size() - 1; i >= 0; i--) {
            if (connections.get(i).epoch == epoch) {
                return connections.get(i);
            }
        }
        return null;
    }

    /** Messages that were acknowledged and did not come out. */
    BitSet missing() {
        BitSet missing = (BitSet) accepted.clone();
        missing.andNot(came);
        return missing;
    }
}
