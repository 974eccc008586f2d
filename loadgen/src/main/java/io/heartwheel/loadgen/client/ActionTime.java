package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Spread;

/**
 * When the devices of a group do what they are there for: evenly spread over a span that counts from the beginning of
 * observation.
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
        return observedNanos >= fromNanos + (long) (Spread.fraction(index) * (untilNanos - fromNanos));
    }
}
