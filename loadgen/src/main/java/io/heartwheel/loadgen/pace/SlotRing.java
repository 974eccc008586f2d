package io.heartwheel.loadgen.pace;

import java.util.Arrays;

/**
 * Schedule of the senders of an event loop: a ring of slots, one step wide, each a chain of numbers. One pacing loop turns it for all
 * senders of an event loop, so a sender costs no timer, only its places in three arrays (16 bytes).
 *
 * <pre>
 *   heads   [ . ][ 7 ][ . ][ 2 ] ... [ . ]      slot = due / step, modulo the ring; the last one holds who is being served
 *                  |         |
 *   next          4 -&gt; .    9 -&gt; 5 -&gt; .         whose due time is rounds away stays in its chain
 *   prior         (1) 7     (3) 2    9          backwards too, so that a sender can be filed anew at any time
 * </pre>
 *
 * <p>Due times are multiples of the step, nanoseconds since the run began. Owned by one thread; allocates only in the
 * constructor.
 */
public final class SlotRing {

    /** What {@link Server#serve} answers for a sender that is done. */
    public static final long DONE = -1;

    private static final int END = -1;
    private static final int UNFILED = Integer.MIN_VALUE;

    private final long stepNanos;
    private final int mask;
    private final int[] heads;
    private final int[] next;
    /** The sender before, or {@code -1 - slot} for the first of a chain. */
    private final int[] prior;

    private final long[] due;
    private long cursor;

    /** The one who serves. */
    @FunctionalInterface
    public interface Server {

        /**
         * Serves a sender. It may {@link SlotRing#file} this or any other sender meanwhile.
         *
         * @param index the sender
         * @param dueNanos when it was due
         * @return when it is due again, later than {@code dueNanos}, or {@link SlotRing#DONE}: then it stays as it was filed
         *     meanwhile, if it was
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
        this.heads = new int[slots + 1];
        this.next = new int[senders];
        this.prior = new int[senders];
        this.due = new long[senders];
        Arrays.fill(heads, END);
        Arrays.fill(prior, UNFILED);
    }

    /** Files a sender, anew if it was filed; a due time already behind the cursor is served at the next turn. */
    public void file(int index, long dueNanos) {
        drop(index);
        due[index] = dueNanos;
        push((int) Math.max(dueNanos / stepNanos, cursor) & mask, index);
    }

    /** Takes a sender out; nothing happens when it is not filed. */
    public void drop(int index) {
        int before = prior[index];
        if (before == UNFILED) {
            return;
        }
        int after = next[index];
        if (before < 0) {
            heads[-1 - before] = after;
        } else {
            next[before] = after;
        }
        if (after != END) {
            prior[after] = before;
        }
        prior[index] = UNFILED;
    }

    private void push(int slot, int index) {
        int first = heads[slot];
        next[index] = first;
        prior[index] = -1 - slot;
        if (first != END) {
            prior[first] = index;
        }
        heads[slot] = index;
    }

    /** Serves all who are due at or before now; slots whose time has not come stay. */
    public void turn(long nowNanos, Server server) {
        long target = nowNanos / stepNanos;
        long first = Math.max(cursor, target - mask);
        cursor = first;
        int serving = mask + 1;
        for (long tick = first; tick <= target; tick++) {
            int slot = (int) tick & mask;
            cursor = tick + 1;
            int head = heads[slot];
            if (head == END) {
                continue;
            }
            heads[slot] = END;
            heads[serving] = head;
            prior[head] = -1 - serving;
            for (int index = head; index != END; index = heads[serving]) {
                drop(index);
                long again = due[index] > nowNanos ? due[index] : server.serve(index, due[index]);
                if (again != DONE) {
                    file(index, again);
                }
            }
        }
    }

    /** Nanoseconds from now to the next slot's beginning, over 0 and at most a step. */
    public long untilNextNanos(long nowNanos) {
        return stepNanos - Math.floorMod(nowNanos, stepNanos);
    }
}
