package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Spread;

/**
 * Span of time in which the devices of a group act, evenly spread, counted from the beginning of observation.
 *
 * @param fromNanos the first of them
 * @param untilNanos the last, not before {@code fromNanos}
 */
public record ActionTime(long fromNanos, long untilNanos) {

    /** Checks the ranges. */
    public ActionTime {
        if (fromNanos < 0 || untilNanos < fromNanos) {
            throw new IllegalArgumentException(
                    "moment " + fromNanos + ".." + untilNanos + "ns: need 0 <= from <= until");
        }
    }

    /** Whether it has come for this device; an observation that has not begun has a time far below 0. */
    boolean hasCome(int index, long observedNanos) {
        return observedNanos >= nanos(index);
    }

    /** When it comes for this device. */
    long nanos(int index) {
        return fromNanos + (long) (Spread.fraction(index) * (untilNanos - fromNanos));
    }
}
