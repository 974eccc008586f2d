package io.heartwheel.session;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Connections of one event loop that hold memory for a message that has not ended, in the order in which they let go when all of them together hold
 * too much:
 *
 * <pre>
 *   1. those that are not established     whoever has kept up with the least rate for the shortest, first
 *   2. those that are                     in the same order
 * </pre>
 *
 * So a device whose message is just coming stays, and who began one and sends no more goes, however many there are of them.
 *
 * <p>A holder is listed once and stays so until it is met with nothing in its hands; its place is found anew when it is met, because the time up to
 * which a message keeps up only moves later. So nothing is done while messages grow and end, and each step costs a logarithm on average.
 *
 * <p>Owner: the loop.
 */
public final class MemoryHolders {
    private static final int LEAST_SWEEP = 64;

    /** One that may hold memory. Loop only. */
    public interface Holder {
        /** What it holds now, bytes; 0 once it is closed. */
        long heldMemoryBytes();

        /** Whether the device is there. */
        boolean isEstablished();

        /** Up to when it has kept up with what is asked of an unfinished message, monotonic nanoseconds; only moves later. */
        long keptUpNanos();

        /** Whether it is listed, for it to remember. */
        void listed(boolean now);

        /** Ends and holds nothing any more. */
        void giveUp();
    }

    private static final class Entry {
        private final Holder holder;
        private long keptUpNanos;

        Entry(Holder holder) {
            this.holder = holder;
            keptUpNanos = holder.keptUpNanos();
        }
    }

    private static final Comparator<Entry> EARLIEST_FIRST = (a, b) -> Long.signum(a.keptUpNanos - b.keptUpNanos);

    private final PriorityQueue<Entry> strangers = new PriorityQueue<>(EARLIEST_FIRST);
    private final PriorityQueue<Entry> devices = new PriorityQueue<>(EARLIEST_FIRST);
    private int nextSweep = LEAST_SWEEP;

    /** One that is not listed holds something now. */
    public void add(Holder holder) {
        if (size() >= nextSweep) {
            sweep();
        }
        holder.listed(true);
        (holder.isEstablished() ? devices : strangers).add(new Entry(holder));
    }

    /**
     * The first in order gives up.
     *
     * @return false if nobody holds anything
     */
    public boolean giveUpFirst() {
        Entry first = first(strangers);
        if (first == null) {
            first = first(devices);
        }
        if (first == null) {
            return false;
        }
        first.holder.listed(false);
        first.holder.giveUp();
        return true;
    }

    private @Nullable Entry first(PriorityQueue<Entry> queue) {
        for (Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
            Holder holder = entry.holder;
            long keptUpNanos = holder.keptUpNanos();
            boolean inPlace = keptUpNanos - entry.keptUpNanos <= 0;
            entry.keptUpNanos = keptUpNanos;
            if (holder.heldMemoryBytes() == 0) {
                holder.listed(false);
            } else if (queue == strangers && holder.isEstablished()) {
                devices.add(entry);
            } else if (inPlace) {
                return entry;
            } else {
                queue.add(entry);
            }
        }
        return null;
    }

    /** Forgets those that hold nothing any more: whenever there are twice as many as were left the last time. */
    private void sweep() {
        strangers.removeIf(MemoryHolders::isDone);
        devices.removeIf(MemoryHolders::isDone);
        nextSweep = Math.max(LEAST_SWEEP, 2 * size());
    }

    private static boolean isDone(Entry entry) {
        boolean done = entry.holder.heldMemoryBytes() == 0;
        if (done) {
            entry.holder.listed(false);
        }
        return done;
    }

    /** How many are listed, with those that hold nothing any more. */
    int size() {
        return strangers.size() + devices.size();
    }
}
