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

    private static final int FIRST_RING = 128;

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

    private final long first;

    private long firstBeat = -1;
    /** Heartbeats as they are, messages below 0. */
    private int @Nullable [] ring;

    FramedState(int captures, long first) {
        captured = new byte[captures][];
        next = first;
        this.first = first;
    }

    /** The number that the next message carries. */
    long next() {
        return next;
    }

    /**
     * Another message is sent.
     *
     * @param what a heartbeat with its sequence, a message with its id below 0, or {@link #OTHER}
     * @param oldest messages from this id on are not forgotten, up to {@link MessageTracker#REMEMBERED} of all
     * @param oldestBeat nor heartbeats from this sequence on
     */
    void sent(long what, boolean open, long oldest, long oldestBeat) {
        if (ring == null && open && (what <= 0 || (firstBeat >= 0 && next - firstBeat + 1 != what))) {
            ring = remembered();
        }
        if (what > 0 && firstBeat < 0) {
            firstBeat = next - what + 1;
        }
        if (ring != null) {
            int before = at(ring, next);
            if ((-before >= oldest || before >= oldestBeat) && ring.length < MessageTracker.REMEMBERED) {
                ring = wider(ring);
            }
            ring[(int) (next % ring.length)] = (int) what;
        }
        next++;
    }

    private static int at(int[] ring, long number) {
        return ring[(int) (number % ring.length)];
    }

    private int[] wider(int[] narrow) {
        int[] all = new int[2 * narrow.length];
        for (long number = Math.max(0, next - narrow.length); number < next; number++) {
            all[(int) (number % all.length)] = at(narrow, number);
        }
        return all;
    }

    /** All before was a heartbeat, if anything was. */
    private int[] remembered() {
        int[] all = new int[FIRST_RING];
        for (long number = Math.max(0, next - all.length); number < next && firstBeat >= 0; number++) {
            all[(int) (number % all.length)] = (int) Math.max(OTHER, number - firstBeat + 1);
        }
        return all;
    }

    private long number(long seen, long modulus) {
        long newest = next - 1;
        return modulus == 0 ? seen : newest - Math.floorMod(newest - seen, modulus);
    }

    /** Whether a message with this number, as in {@link #was}, was sent too long ago to know what it was. */
    boolean isForgotten(long seen, long modulus) {
        long number = number(seen, modulus);
        return ring != null && number >= first && next - 1 - number >= ring.length;
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
        long number = number(seen, modulus);
        if (number < 0 || number > newest) {
            return OTHER;
        }
        if (ring != null) {
            return newest - number < ring.length ? at(ring, number) : OTHER;
        }
        return firstBeat < 0 ? OTHER : Math.max(OTHER, number - firstBeat + 1);
    }
}
