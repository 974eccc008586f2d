package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of a wheel since it was made, and how full it is. They only grow, except {@link #filed}, {@link #registered} and {@link #lagNanos}.
 *
 * <h2>Concurrency</h2>
 *
 * Readers: any thread, a few nanoseconds each. Writer: the turning thread, once for each advance, in opaque mode; {@link #rejected} and {@link
 * #registered} come from the registering threads. A reader may see one number of an advance before another (allowed: they are for watching).
 */
public final class WheelCounters {

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    static final int HANDED_OVER = 0;
    static final int EXPIRED = 1;
    static final int MOVED = 2;
    static final int CASCADED = 3;
    static final int DROPPED = 4;
    static final int FAILED = 5;
    static final int FILED = 6;
    static final int LAG = 7;
    private static final int COUNT = 8;

    /** Written by the turning thread; plain for it, opaque for readers. */
    private final long[] counts = new long[COUNT];

    private final long[] shown = new long[COUNT];
    private final Cells cells;
    private final LongAdder rejected = new LongAdder();

    WheelCounters(Cells cells) {
        this.cells = cells;
    }

    /** Turning thread. */
    void add(int counter) {
        counts[counter]++;
    }

    /** Turning thread. */
    void set(int counter, long value) {
        counts[counter] = value;
    }

    /** Turning thread: the count so far, with what is not shown yet. */
    long now(int counter) {
        return counts[counter];
    }

    /** Turning thread: lets readers see. */
    void show() {
        for (int i = 0; i < COUNT; i++) {
            LONGS.setOpaque(shown, i, counts[i]);
        }
    }

    void reject() {
        rejected.increment();
    }

    private long shown(int counter) {
        return (long) LONGS.getOpaque(shown, counter);
    }

    /** Cells that owners marked and the wheel then looked at: the traffic between threads. Many armings of a cell in a tick are one. */
    public long handedOver() {
        return shown(HANDED_OVER);
    }

    /** Expiries. */
    public long expired() {
        return shown(EXPIRED);
    }

    /** Entries met early and filed again, because their deadline had moved later. */
    public long moved() {
        return shown(MOVED);
    }

    /** Entries met on an upper level and filed on a lower one. */
    public long cascaded() {
        return shown(CASCADED);
    }

    /** Entries met and dropped from the ring: disarmed before, or by their answer {@link Deadline#NO_DEADLINE}. */
    public long dropped() {
        return shown(DROPPED);
    }

    /** Throwables out of entries, observers, the clock and the turning itself. */
    public long failed() {
        return shown(FAILED);
    }

    /** Registrations refused because every handle was in use. */
    public long rejected() {
        return rejected.sum();
    }

    /** Entries in the ring now, with those that were disarmed and not met since. */
    public long filed() {
        return shown(FILED);
    }

    /** Handles in use now, with those that were released and not seen by the wheel since. */
    public int registered() {
        return cells.used();
    }

    /** How far the time was past the oldest tick that had to be worked off in the last advance that met entries, nanoseconds. */
    public long lagNanos() {
        return shown(LAG);
    }
}
