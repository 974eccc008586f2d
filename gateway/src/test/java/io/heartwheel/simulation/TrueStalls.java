package io.heartwheel.simulation;

import java.util.Arrays;

/** True stalls: the world's own record, pieces in the order of time that do not overlap. */
class TrueStalls {
    /** Stalls of one loop. */
    static final class OfLoop extends TrueStalls {
        /** When all of the process did. */
        final TrueStalls process = new TrueStalls();
        /** When the loop or the wheel's thread did. */
        final TrueStalls either = new TrueStalls();
    }

    private long[] from = new long[16];
    private long[] until = new long[16];
    private int count;

    /** It stands still from now on; a stall that goes on is made longer. */
    void add(long fromNanos, long untilNanos) {
        if (count > 0 && fromNanos < until[count - 1]) {
            until[count - 1] = Math.max(until[count - 1], untilNanos);
            return;
        }
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            until = Arrays.copyOf(until, 2 * count);
        }
        from[count] = fromNanos;
        until[count] = untilNanos;
        count++;
    }

    int count() {
        return count;
    }

    long from(int piece) {
        return from[piece];
    }

    long until(int piece) {
        return until[piece];
    }

    /** The first piece that ends after this time. */
    int firstAfter(long nanos) {
        int piece = count;
        // what is asked about is mostly recent
        for (int looked = 0; looked < 8 && piece > 0; looked++, piece--) {
            if (until[piece - 1] <= nanos) {
                return piece;
            }
        }
        int at = Arrays.binarySearch(until, 0, piece, nanos);
        return at >= 0 ? at + 1 : -at - 1;
    }

    /** The first time at or after this one at which the thread ran. */
    long runsAt(long nanos) {
        long at = nanos;
        for (int piece = firstAfter(nanos); piece < count && from[piece] <= at; piece++) {
            at = until[piece];
        }
        return at;
    }

    /** Whether it stood still between these times, for so long at least. */
    boolean stoodWithin(long sinceNanos, long untilNanos, long leastNanos) {
        for (int piece = firstAfter(sinceNanos); piece < count && from[piece] < untilNanos; piece++) {
            if (until[piece] - from[piece] >= leastNanos) {
                return true;
            }
        }
        return false;
    }

    boolean ranSince(long nanos) {
        return count == 0 || until[count - 1] < nanos;
    }

    boolean stallsAt(long nanos) {
        return count > 0 && until[count - 1] > nanos;
    }

    /** When a thread that stands still goes on. */
    long lastUntil() {
        return until[count - 1];
    }
}
