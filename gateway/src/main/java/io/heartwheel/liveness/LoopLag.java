package io.heartwheel.liveness;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lag of one event loop: how long tasks wait for it.
 *
 * <p>Owner: the loop, the only writer, with plain reads and opaque stores. Readers: any thread, opaque. {@code ASKED} alone is set by any thread, by
 * compare-and-set, and cleared by the loop.
 */
public final class LoopLag {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int MAX = 0;
    private static final int LAST = 1;
    private static final int PROBE_DUE = 2;
    private static final int ASKED = 3;
    // a cache line of air on either side, so that two loops' cells never share one
    private static final int PAD = 16;
    /** No probe measures this loop, or nobody asks. */
    private static final long NEVER = Long.MIN_VALUE;

    private final long[] cells = new long[PAD + 4 + PAD];

    /** Nobody waits. */
    public LoopLag() {
        set(PROBE_DUE, NEVER);
        set(ASKED, NEVER);
    }

    /** How long a task waited for the loop, nanoseconds. Loop only. */
    public void waited(long nanos) {
        set(LAST, nanos);
        if (nanos > get(MAX)) {
            set(MAX, nanos);
        }
    }

    /** When the loop is to run its next probe, monotonic nanoseconds. Loop only, or before the loop is given its first probe. */
    void probeDue(long nanos) {
        set(PROBE_DUE, known(nanos));
    }

    /** No probe is due: the loop is idle. Loop only. */
    void noProbeDue() {
        set(PROBE_DUE, NEVER);
    }

    /**
     * Notes that somebody waits for the loop to answer. Any thread.
     *
     * @return whether nobody did before
     */
    boolean ask(long nowNanos) {
        return CELL.compareAndSet(cells, PAD + ASKED, NEVER, known(nowNanos));
    }

    /** Since when somebody waits for it; now if nobody does. Any thread. */
    long askedNanos(long nowNanos) {
        long asked = get(ASKED);
        return asked == NEVER ? nowNanos : asked;
    }

    /** The loop has answered. Loop only, or who asked if the loop has ended. */
    void answered(long nowNanos) {
        waited(Math.max(0, nowNanos - askedNanos(nowNanos)));
        set(ASKED, NEVER);
    }

    /** The latest wait of a task that the loop has run, nanoseconds. */
    public long lastNanos() {
        return get(LAST);
    }

    /**
     * How late the loop is: the wait of the task it ran last, or of the one that waits for it now if that is longer. It grows while the loop is stuck.
     *
     * @param nowNanos of the probe's clock
     */
    public long nowNanos(long nowNanos) {
        return Math.max(get(LAST), waitingNanos(nowNanos));
    }

    /** The longest wait of a task for this loop so far, nanoseconds. */
    public long maxNanos(long nowNanos) {
        return Math.max(get(MAX), waitingNanos(nowNanos));
    }

    private long waitingNanos(long nowNanos) {
        long dueNanos = get(PROBE_DUE);
        long probeNanos = dueNanos == NEVER ? 0 : Math.max(0, nowNanos - dueNanos);
        return Math.max(probeNanos, nowNanos - askedNanos(nowNanos));
    }

    private static long known(long nanos) {
        return nanos == NEVER ? nanos + 1 : nanos;
    }

    private void set(int index, long nanos) {
        CELL.setOpaque(cells, PAD + index, nanos);
    }

    private long get(int index) {
        return (long) CELL.getOpaque(cells, PAD + index);
    }
}
