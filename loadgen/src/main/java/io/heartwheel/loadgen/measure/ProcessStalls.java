package io.heartwheel.loadgen.measure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Times in which this process did not run: it was stopped, its collector held it, or its machine gave it no processor. A
 * thread of its own wakes every {@value #WATCH_MILLIS} ms, and whenever it was late it stood still; time that the
 * hypervisor took, and time in which the machine had no processor to give, is added where the kernel tells it.
 *
 * <p>From within nobody can say whether the other side of the connection stood still as well: a machine that pauses stops
 * both. Nanoseconds of one clock. {@link #woke} and {@link #stolen} are called by one thread, the watch; {@link #within}
 * by any. What is published is never changed, and of old spans the first are forgotten.
 */
public final class ProcessStalls {

    /** The watch sleeps this long. */
    public static final long WATCH_MILLIS = 2;

    /** Shorter than this is how a machine is that has something to do. */
    private static final long LEAST_NANOS = 10_000_000L;

    /** The machine is asked so often; its kernel counts in steps of 10 ms. */
    private static final long WINDOW_NANOS = 100_000_000L;
    /** A machine that is busier than this has no processor to give. */
    private static final double BUSY = 0.95;

    private static final int MOST_SPANS = 512;

    // ---- written by the watch
    private volatile long wokeNanos = -1;
    /** From, to, from, to ... in order, not overlapping. */
    private volatile long[] spans = {};

    // ---- the watch's own
    private @Nullable Thread watch;

    /** Begins to watch, until {@link #close}; the thread does not keep the process alive. */
    public void watch(NanoClock clock, Meters meters) {
        Thread thread = new Thread(() -> watching(clock, meters), "stalls");
        thread.setDaemon(true);
        watch = thread;
        thread.start();
    }

    private void watching(NanoClock clock, Meters meters) {
        long asked = clock.nanos();
        long stolen = meters.machineStolenNanos();
        long busy = meters.machineBusyNanos();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(WATCH_MILLIS);
                long now = clock.nanos();
                woke(now);
                if (now - asked >= WINDOW_NANOS) {
                    long stolenBefore = stolen;
                    long busyBefore = busy;
                    stolen = meters.machineStolenNanos();
                    busy = meters.machineBusyNanos();
                    busy(asked, now, busy - busyBefore, meters.processors());
                    stolen(asked, now, stolen - stolenBefore);
                    asked = now;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the watch. */
    public void close() {
        Thread thread = watch;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The watch is awake at this time. */
    void woke(long nowNanos) {
        long before = wokeNanos;
        if (before >= 0 && nowNanos - before > LEAST_NANOS) {
            note(before, nowNanos);
        }
        wokeNanos = nowNanos;
    }

    /** Of this time the hypervisor took so much, of all processors together: when in it is not known, so it counts at its end. */
    void stolen(long fromNanos, long toNanos, long stolenNanos) {
        if (stolenNanos > LEAST_NANOS) {
            note(Math.max(fromNanos, toNanos - stolenNanos), toNanos);
        }
    }

    /** In this time all processors together were busy for so long: with none to give, whoever wanted one waited. */
    void busy(long fromNanos, long toNanos, long busyNanos, int processors) {
        if (busyNanos > BUSY * (toNanos - fromNanos) * processors) {
            note(fromNanos, toNanos);
        }
    }

    private void note(long fromNanos, long toNanos) {
        long[] known = spans;
        int length = known.length;
        long from = length == 0 ? fromNanos : Math.max(fromNanos, known[length - 1]);
        if (from >= toNanos) {
            return;
        }
        int skipped = length >= 2 * MOST_SPANS ? 2 : 0;
        long[] more = Arrays.copyOfRange(known, skipped, length + 2);
        more[more.length - 2] = from;
        more[more.length - 1] = toNanos;
        spans = more;
    }

    /** How much of this time the process stood still; 0 in a few nanoseconds where it never did. */
    public long within(long fromNanos, long toNanos) {
        return within(fromNanos, toNanos, LEAST_NANOS);
    }

    /** The same of stalls that were longer than this, each as a whole. */
    long within(long fromNanos, long toNanos, long longerThanNanos) {
        long woke = wokeNanos;
        long[] known = spans;
        long sum = 0;
        for (int i = known.length - 2; i >= 0 && known[i + 1] > fromNanos; i -= 2) {
            if (known[i + 1] - known[i] > longerThanNanos) {
                sum += overlap(known[i], known[i + 1], fromNanos, toNanos);
            }
        }
        if (woke >= 0 && toNanos - woke > longerThanNanos) {
            // still to be noted by the watch, which was not woken yet
            long last = known.length == 0 ? woke : Math.max(woke, known[known.length - 1]);
            sum += overlap(last, toNanos, fromNanos, toNanos);
        }
        return sum;
    }

    private static long overlap(long from, long to, long windowFrom, long windowTo) {
        return Math.max(0, Math.min(to, windowTo) - Math.max(from, windowFrom));
    }
}
