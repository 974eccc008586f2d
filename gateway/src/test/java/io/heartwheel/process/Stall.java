package io.heartwheel.process;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A stall of the gateway, or of one loop, as an observer from outside can know it: certainly from {@code begunNanos} to {@code endingNanos}, possibly
 * from {@code beginningNanos} to {@code endedNanos}.
 */
record Stall(long beginningNanos, long begunNanos, long endingNanos, long endedNanos) {
    /** A shorter one is no stall: the loop notes every 100 ms that it turns, and a note may be 100 ms late. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100 + 100);

    /** The same, where nobody outside can know whether it stood at all. */
    Stall perhaps() {
        return new Stall(beginningNanos, beginningNanos, beginningNanos, endedNanos);
    }

    /** The same, where it may have lasted until then. */
    Stall atMostUntil(long nanos) {
        return new Stall(beginningNanos, begunNanos, endingNanos, nanos);
    }

    /** When a silence that began then has lasted so long, less the time that is surely excused: no close may come before. */
    static long earliestNanos(long fromNanos, long timeoutNanos, List<Stall> stalls) {
        long atNanos = fromNanos + timeoutNanos;
        for (Stall stall : stalls) {
            boolean owed = stall.endingNanos - stall.begunNanos > LEAST_NANOS;
            atNanos += owed ? credit(fromNanos, atNanos, stall.begunNanos, stall.endingNanos) : 0;
        }
        return atNanos;
    }

    /** The same, less all that is possibly excused: by then the gateway has to know. */
    static long latestNanos(long fromNanos, long timeoutNanos, List<Stall> stalls) {
        long atNanos = fromNanos + timeoutNanos;
        for (Stall stall : stalls) {
            atNanos += credit(fromNanos, atNanos, stall.beginningNanos, stall.endedNanos);
        }
        return atNanos;
    }

    /** A stall that begins before the deadline moves it by all its length, as far as it falls into the silence. */
    private static long credit(long fromNanos, long deadlineNanos, long beganNanos, long endedNanos) {
        return beganNanos < deadlineNanos ? Math.max(0, endedNanos - Math.max(beganNanos, fromNanos)) : 0;
    }
}
