package io.heartwheel.loadgen.measure;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times in which this process did not run: it was stopped, its collector held it, or its machine gave it no processor. A
 * thread of its own wakes every {@value #WATCH_MILLIS} ms, or as rarely as the pacing loop where that has longer steps, and
 * whenever it was late it stood still; time that the hypervisor took, and time in which the machine had no processor to
 * give, is added where the kernel tells it.
 *
 * <p>From within nobody can say whether the other side of the connection stood still as well: a machine that pauses stops
 * both. Nanoseconds of one clock. {@link #woke} and {@link #stolen} are called by one thread, the watch; {@link #within}
 * by any. What is published is never changed, and of old spans the first are forgotten.
 */
public final class ProcessStalls {

    /** The watch sleeps this long at the least. */
    public static final long WATCH_MILLIS = 2;

    private static final long WATCH_NANOS = WATCH_MILLIS * 1_000_000;

    /** Shorter than this is how a machine is that has something to do. */
    private static final long LEAST_NANOS = 10_000_000L;

    /** The machine is asked so often, and every so many times that the watch wakes; its kernel counts in steps of 10 ms. */
    private static final long LEAST_WINDOW_NANOS = 100_000_000L;

    private static final long MOST_WINDOW_NANOS = 1_000_000_000L;
    private static final int WAKES_A_WINDOW = 20;
    /** A machine that is busier than this has no processor to give. */
    private static final double BUSY = 0.95;

    private static final int MOST_SPANS = 512;

    private final long sleepNanos;
    /** What the watch sleeps longer than at the least: no part of a stall. */
    private final long longerNanos;

    private final long windowNanos;

    // ---- written by the watch
    private volatile long wokeNanos = -1;
    /** From, to, from, to ... in order, not overlapping. */
    private volatile long[] spans = {};

    // ---- the watch's own
    private @Nullable Thread watch;

    /**
     * Of a process that nobody watches yet.
     *
     * @param stepNanos how long the pacing loop sleeps: what is shorter nobody looks at
     */
    public ProcessStalls(long stepNanos) {
        this.sleepNanos = Math.max(WATCH_NANOS, stepNanos);
        this.longerNanos = sleepNanos - WATCH_NANOS;
        long wakes = Math.min(sleepNanos, MOST_WINDOW_NANOS) * WAKES_A_WINDOW;
        this.windowNanos = Math.max(LEAST_WINDOW_NANOS, Math.min(MOST_WINDOW_NANOS, wakes));
    }

    /** Begins to watch, until {@link #close}; the thread does not keep the process alive. */
    public void watch(NanoClock clock, Meters meters) {
        Thread thread = new Thread(() -> watching(clock, meters), "stalls");
        thread.setDaemon(true);
        watch = thread;
        thread.start();
    }

    private void watching(NanoClock clock, Meters meters) {
        long asked = clock.nanos();
        MachineTime machine = meters.machineTime();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                TimeUnit.NANOSECONDS.sleep(sleepNanos);
                long now = clock.nanos();
                woke(now);
                if (now - asked >= windowNanos) {
                    MachineTime before = machine;
                    machine = meters.machineTime();
                    MachineTime spent = machine.since(before);
                    busy(asked, now, spent.busyNanos(), meters.processors());
                    stolen(asked, now, spent.stolenNanos());
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
        if (before >= 0 && nowNanos - before - longerNanos > LEAST_NANOS) {
            note(before + longerNanos, nowNanos);
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
        // before the first time it is below 0, and stays there
        long woke = wokeNanos < 0 ? wokeNanos : wokeNanos + longerNanos;
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
