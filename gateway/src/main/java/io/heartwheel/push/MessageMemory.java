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
 * <p>A row is let in before the limit is reached, however large it is: what is above is one row. Half of that half is for devices that have a row loaded already. A loader that found no room is told
 * when there is some, one at a time; whoever was told tells the next when he has had his turn.
 *
 * <p>Any thread.
 */
final class MessageMemory {
    private static final int PART_OF_ROWS = 2;

    private final LongSupplier limitBytes;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong rowBytes = new AtomicLong();

    /** Those that want room, the longest first. Guarded by itself. */
    private final Set<Waiter> waiters = new LinkedHashSet<>();

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

    /** Tells it once when there is room for the first row of a device. */
    void await(Waiter waiter) {
        synchronized (waiters) {
            waiters.add(waiter);
            anyWaits = true;
        }
    }

    void awaitNoMore(Waiter waiter) {
        if (anyWaits) {
            synchronized (waiters) {
                waiters.remove(waiter);
                anyWaits = !waiters.isEmpty();
            }
        }
    }

    /** Tells the one that has waited longest, if there is room. */
    void tell() {
        if (!anyWaits || !hasRoom(true)) {
            return;
        }
        Waiter next;
        synchronized (waiters) {
            Iterator<Waiter> longest = waiters.iterator();
            if (!longest.hasNext()) {
                return;
            }
            next = longest.next();
            longest.remove();
            anyWaits = longest.hasNext();
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
