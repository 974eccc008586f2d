package io.heartwheel.loadgen.client;

import org.jspecify.annotations.Nullable;

/**
 * State of one connection of a described protocol: how many messages were sent on it and what each of the last was,
 * and what the server's answers told. Owner: the connection's event loop.
 *
 * <p>A device that only beats needs no more than the number of its first heartbeat; the ring is made with the first other
 * message.
 */
final class FramedState {

    /** What was sent and is neither a heartbeat nor a message. */
    static final long OTHER = 0;

    private static final int RING = 128;

    final byte[] @Nullable [] captured;
    /** Steps of the greeting that are done. */
    int step;
    /** The interval that the server told, milliseconds; 0: none. */
    long intervalMillis;
    /** Whether it asks without end: answers are not waited for. */
    boolean flooded;
    /** Bytes sent of a message that is never finished. */
    int followed;
    /** Messages sent: the number of the next. */
    private long next;

    private long firstBeat = -1;
    /** Heartbeats as they are, messages below 0. */
    private long @Nullable [] ring;

    FramedState(int captures, long first) {
        captured = new byte[captures][];
        next = first;
    }

    /** The number that the next message carries. */
    long next() {
        return next;
    }

    /** Another message is sent: a heartbeat with its sequence, a message with its id below 0, or {@link #OTHER}. */
    void sent(long what, boolean open) {
        if (ring == null && open && (what <= 0 || (firstBeat >= 0 && next - firstBeat + 1 != what))) {
            ring = remembered();
        }
        if (what > 0 && firstBeat < 0) {
            firstBeat = next - what + 1;
        }
        if (ring != null) {
            ring[(int) (next % RING)] = what;
        }
        next++;
    }

    /** All before was a heartbeat, if anything was. */
    private long[] remembered() {
        long[] all = new long[RING];
        for (long number = Math.max(0, next - RING); number < next && firstBeat >= 0; number++) {
            all[(int) (number % RING)] = Math.max(OTHER, number - firstBeat + 1);
        }
        return all;
    }

    /**
     * What the message with this number was.
     *
     * @param seen the number, or as much of it as the answer has room for
     * @param modulus of what it has room for; 0: all
     * @return as in {@link #sent}; {@link #OTHER} when it was sent too long ago, or never
     */
    long was(long seen, long modulus) {
        long newest = next - 1;
        long number = modulus == 0 ? seen : newest - Math.floorMod(newest - seen, modulus);
        if (number < 0 || number > newest) {
            return OTHER;
        }
        if (ring != null) {
            return newest - number < RING ? ring[(int) (number % RING)] : OTHER;
        }
        return firstBeat < 0 ? OTHER : Math.max(OTHER, number - firstBeat + 1);
    }
}
