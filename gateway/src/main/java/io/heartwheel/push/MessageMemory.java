package io.heartwheel.push;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory of messages that wait: {@link PushSettings#totalBytes} for all, half of which rows of the disk may take while they are loaded. So devices that acknowledge nothing leave room for others.
 *
 * <p>A row is let in before the limit is reached, however large it is: what is above is one row. A second row of a device has room while rows take half of that half. A loader that found no room is
 * told when there is some, one at a time, those without a row first; whoever was told tells the next when he has had his turn.
 *
 * <p>Any thread.
 */
final class MessageMemory {
    private static final int PART_OF_ROWS = 2;

    private final LongSupplier limitBytes;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong rowBytes = new AtomicLong();

    /** Those that want room for the first row of a device, and for one more; the longest first. Both guarded by the first. */
    private final Set<Waiter> firsts = new LinkedHashSet<>();

    private final Set<Waiter> others = new LinkedHashSet<>();
    private volatile boolean anyWaits;

    /** Whoever waits for room. */
    @FunctionalInterface
    interface Waiter {
        /** There is room, perhaps. Any thread; quick. */
        void told();
    }

    MessageMemory(LongSupplier limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes it; else tells the limit that is reached. */
    @Nullable
    String take(long takes) {
        long most = limitBytes.getAsLong();
        long before = bytes.getAndAdd(takes);
        if (before + takes <= most) {
            return null;
        }
        give(takes);
        return "messages.total-bytes = " + most + "B: messages that wait take " + before + ", and this one " + takes;
    }

    void give(long takes) {
        bytes.addAndGet(-takes);
        tell();
    }

    /** One message more, or less, waits. */
    void count(int more) {
        count.addAndGet(more);
    }

    /**
     * Takes it for a row that is loaded; false if there is no room.
     *
     * @param first whether its device has no other that is loaded
     */
    boolean enter(StoredRow row, boolean first) {
        if (!hasRoom(first)) {
            return false;
        }
        bytes.addAndGet(row.takes());
        rowBytes.addAndGet(row.takes());
        count(1);
        return true;
    }

    private boolean hasRoom(boolean first) {
        long most = limitBytes.getAsLong();
        return bytes.get() < most && rowBytes.get() < most / PART_OF_ROWS / (first ? 1 : 2);
    }

    /** A row leaves memory. Nobody is told: it may be one that could not be used, and then others cannot be either. */
    void leave(StoredRow row) {
        count(-1);
        rowBytes.addAndGet(-row.takes());
        bytes.addAndGet(-row.takes());
    }

    /**
     * Tells it once when there is room.
     *
     * @param first whether its device has no row that is loaded
     */
    void await(Waiter waiter, boolean first) {
        synchronized (firsts) {
            (first ? firsts : others).add(waiter);
            anyWaits = true;
        }
    }

    void awaitNoMore(Waiter waiter) {
        if (anyWaits) {
            synchronized (firsts) {
                firsts.remove(waiter);
                others.remove(waiter);
                anyWaits = !firsts.isEmpty() || !others.isEmpty();
            }
        }
    }

    /** Tells the one that has waited longest, if there is room for it. */
    void tell() {
        if (!anyWaits || !hasRoom(true)) {
            return;
        }
        Waiter next;
        synchronized (firsts) {
            Set<Waiter> waiters = firsts.isEmpty() && hasRoom(false) ? others : firsts;
            Iterator<Waiter> longest = waiters.iterator();
            if (!longest.hasNext()) {
                return;
            }
            next = longest.next();
            longest.remove();
            anyWaits = !firsts.isEmpty() || !others.isEmpty();
        }
        next.told();
    }

    /** Messages. */
    long count() {
        return count.get();
    }

    /** What they take. */
    long bytes() {
        return bytes.get();
    }
}
