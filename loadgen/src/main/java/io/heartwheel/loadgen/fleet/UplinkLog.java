package io.heartwheel.loadgen.fleet;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Messages of one device: each sending with its place, what was acknowledged, and what came out of the gateway. Owned by the
 * device's event loop. Message numbers count from 1 over the device's life, sendings too; a message that is sent again has
 * several.
 *
 * <pre>
 *   connection (epoch)      1            |  2
 *   sending                 1  2  3  4   |  5  6  7  8
 *   message                 1  2  3  4   |  3  4  5  6        3 and 4 were not acknowledged on the first
 *   came out                1  2  3      |     4  5  6        each once, those of a connection in the order of its sendings
 * </pre>
 *
 * <p>Costs 8 bytes a message and some 50 for one that is sent again.
 */
final class UplinkLog {

    private static final int FEW = 16;
    private static final int[] NONE = {};

    private int[] bytes = new int[FEW];
    private int[] firstSending = new int[FEW];
    /** Of messages that were sent again: the places of the later sendings. */
    private final Map<Integer, int[]> laterSendings = new HashMap<>(0);

    private final BitSet accepted = new BitSet();
    private final BitSet came = new BitSet();
    private int messages;
    private int sendings;

    private long[] epochs = new long[2];
    /** The last sending before each connection. */
    private int[] before = new int[2];
    /** Of each connection the latest of its sendings that came out. */
    private int[] reached = new int[2];

    private int connections;

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

    /** The device was welcomed on a connection. */
    void welcomed(long epoch) {
        if (connections == epochs.length) {
            epochs = Arrays.copyOf(epochs, 2 * connections);
            before = Arrays.copyOf(before, 2 * connections);
            reached = Arrays.copyOf(reached, 2 * connections);
        }
        epochs[connections] = epoch;
        before[connections] = sendings;
        connections++;
    }

    /** A message is sent, for the first time if its number is new. */
    void sent(int message, int length) {
        sendings++;
        if (message <= messages) {
            int[] later = laterSendings.getOrDefault(message, NONE);
            int[] more = Arrays.copyOf(later, later.length + 1);
            more[later.length] = sendings;
            laterSendings.put(message, more);
            return;
        }
        messages = message;
        if (message >= bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * message);
            firstSending = Arrays.copyOf(firstSending, 2 * message);
        }
        bytes[message] = length;
        firstSending[message] = sendings;
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
        if (bytes(message) < 0) {
            return Arrival.UNKNOWN;
        }
        int connection = connection(epoch);
        if (connection < 0) {
            return Arrival.UNKNOWN;
        }
        int first = before[connection] + 1;
        int last = connection + 1 < connections ? before[connection + 1] : sendings;
        int newest = 0;
        int place = 0;
        for (int i = laterSendings.getOrDefault(message, NONE).length; i >= 0; i--) {
            int sending = i == 0 ? firstSending[message] : laterSendings.getOrDefault(message, NONE)[i - 1];
            if (sending >= first && sending <= last) {
                newest = Math.max(newest, sending);
                place = sending > reached[connection] ? sending : place;
            }
        }
        if (newest == 0) {
            return Arrival.UNKNOWN;
        }
        if (came.get(message)) {
            return Arrival.DOUBLED;
        }
        came.set(message);
        reached[connection] = Math.max(reached[connection], place);
        return place == 0 ? Arrival.OUT_OF_ORDER : Arrival.FIRST;
    }

    private int connection(long epoch) {
        for (int i = connections - 1; i >= 0; i--) {
            if (epochs[i] == epoch) {
                return i;
            }
        }
        return -1;
    }

    /** Messages that were acknowledged and did not come out. */
    BitSet missing() {
        BitSet missing = (BitSet) accepted.clone();
        missing.andNot(came);
        return missing;
    }
}
