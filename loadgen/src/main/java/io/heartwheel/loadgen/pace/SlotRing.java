package io.heartwheel.loadgen.pace;

import java.util.Arrays;

/**
 * Who is to be served when: a ring of slots, one step wide, each a chain of numbers. One pacing loop turns it for all
 * senders of an event loop, so a sender costs no timer, only its places in two arrays (12 bytes).
 *
 * <pre>
 *   heads   [ . ][ 7 ][ . ][ 2 ] ...            slot = due / step, modulo the ring
 *                  |         |
 *   next          4 -> .    9 -> 5 -> .         whose due time is rounds away stays in its chain
 * </pre>
 *
 * <p>Due times are multiples of the step, nanoseconds since the run began. Owned by one thread; allocates only in the
 * constructor.
 */
public final class SlotRing {

    /** What {@link Server#serve} answers for a sender that is done. */
    public static final long DONE = -1;

    private static final int END = -1;

    private final long stepNanos;
    private final int mask;
    private final int[] heads;
    private final int[] next;
    private final long[] due;
    private long cursor;

    /** The one who serves. */
    @FunctionalInterface
    public interface Server {

        /**
         * Serves a sender.
         *
         * @param index the sender
         * @param dueNanos when it was due
         * @return when it is due again, later than {@code dueNanos}, or {@link SlotRing#DONE}
         */
        long serve(int index, long dueNanos);
    }

    /**
     * An empty ring.
     *
     * @param senders their numbers are 0 to below this
     * @param stepNanos width of a slot
     * @param slots ring size, a power of two
     */
    public SlotRing(int senders, long stepNanos, int slots) {
        if (Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException("slots = " + slots + ": need a power of two");
        }
        this.stepNanos = stepNanos;
        this.mask = slots - 1;
        this.heads = new int[slots];
        this.next = new int[senders];
        this.due = new long[senders];
        Arrays.fill(heads, END);
    }

    /** Files a sender that is not filed; a due time already behind the cursor is served at the next turn. */
    public void file(int index, long dueNanos) {
        due[index] = dueNanos;
        int slot = (int) Math.max(dueNanos / stepNanos, cursor) & mask;
        next[index] = heads[slot];
        heads[slot] = index;
    }

    /** Serves all who are due at or before now; slots whose time has not come stay. */
    public void turn(long nowNanos, Server server) {
        long target = nowNanos / stepNanos;
        long first = Math.max(cursor, target - mask);
        cursor = first;
        for (long tick = first; tick <= target; tick++) {
            int slot = (int) tick & mask;
            int index = heads[slot];
            heads[slot] = END;
            cursor = tick + 1;
            while (index != END) {
                int following = next[index];
                long again = due[index] > nowNanos ? due[index] : server.serve(index, due[index]);
                if (again != DONE) {
                    file(index, again);
                }
                index = following;
            }
        }
    }

    /** Nanoseconds from now to the next slot's beginning, over 0 and at most a step. */
    public long untilNextNanos(long nowNanos) {
        return stepNanos - Math.floorMod(nowNanos, stepNanos);
    }
}
