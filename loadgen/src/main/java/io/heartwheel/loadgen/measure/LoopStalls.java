package io.heartwheel.loadgen.measure;

/**
 * Stalls of one event loop: the time in which it could not see its sockets, because it, or its whole process, stood still. Owner: that loop.
 *
 * <pre>
 *   ticks of the pacing loop   | | | |                         |      | | | |
 *                                    ^ stopped                 ^ runs again: reads what came, and is late
 *   what is seen here is late by     |&lt;------------------------------&gt;| at most: until a tick is punctual again
 * </pre>
 *
 * <p>Between two punctual ticks the loop has looked into all of its sockets, so what it sees then came just now. What it sees
 * while it is behind may have come at any time since its last punctual tick. Time that is not the loop's doing alone, in
 * which the whole process stood still, counts wherever it lies. Nanoseconds of one clock.
 */
public final class LoopStalls {

    /** Later than its step by this, a tick was held up. */
    private static final long LEAST_NANOS = 4_000_000L;

    /** A server that moves its deadlines for the time in which it could not hear does so for stalls of about this length. */
    private static final long LONG_NANOS = 150_000_000L;

    private final long limitNanos;
    private final ProcessStalls process;
    private long tickNanos = -1;
    /** Since when the loop is behind; -1 while it is not. */
    private long behindNanos = -1;

    /**
     * Of a loop that has not begun.
     *
     * @param stepNanos between two ticks
     */
    public LoopStalls(long stepNanos, ProcessStalls process) {
        this.limitNanos = stepNanos + LEAST_NANOS;
        this.process = process;
    }

    /** Of a loop that nobody watches: it never stood still. */
    public static LoopStalls none() {
        return new LoopStalls(Long.MAX_VALUE / 2, new ProcessStalls(0));
    }

    /**
     * The pacing loop turns.
     *
     * @return how long the loop had not ticked until now, beyond a step; 0 when it was punctual
     */
    public long tick(long nowNanos) {
        long before = tickNanos;
        tickNanos = nowNanos;
        if (before < 0 || nowNanos - before <= limitNanos) {
            behindNanos = -1;
            return 0;
        }
        if (behindNanos < 0) {
            behindNanos = before;
        }
        return nowNanos - before - (limitNanos - LEAST_NANOS);
    }

    /** How much of this time, which ends now, the loop could not see what had come. */
    public long own(long fromNanos, long nowNanos) {
        long blind = Math.min(nowNanos, Math.max(fromNanos, blindSince(nowNanos)));
        return nowNanos - blind + process.within(fromNanos, blind);
    }

    private long blindSince(long nowNanos) {
        if (behindNanos >= 0) {
            return behindNanos;
        }
        return tickNanos >= 0 && nowNanos - tickNanos > limitNanos ? tickNanos : nowNanos;
    }

    /** How much of this time the whole process stood still. */
    public long wholly(long fromNanos, long toNanos) {
        return process.within(fromNanos, toNanos);
    }

    /** How much of this time the whole process stood still for long, and with it perhaps the machine. */
    public long ofProcess(long fromNanos, long toNanos) {
        return process.within(fromNanos, toNanos, LONG_NANOS);
    }
}
