package io.heartwheel.loadgen.pace;

/**
 * Evenly paced starts: the first at once, then {@code perSecond} in each second until {@code total}.
 *
 * @param total things to start, 0..2^31-1
 * @param perSecond starts a second, over 0
 */
public record Ramp(int total, double perSecond) {

    private static final double SECOND = 1e9;

    /** Checks the ranges. */
    public Ramp {
        if (total < 0 || !(perSecond > 0)) {
            throw new IllegalArgumentException("ramp of " + total + " at " + perSecond + "/s: need 0.. at over 0/s");
        }
    }

    /** How many should have been started once this much time has passed; 0 before time began, {@code total} at the end. */
    public int dueBy(long elapsedNanos) {
        if (elapsedNanos < 0) {
            return 0;
        }
        double due = Math.floor(elapsedNanos * perSecond / SECOND) + 1;
        return due >= total ? total : (int) due;
    }

    /** When the start with this index (from 0) is due, nanoseconds after the beginning. */
    public long dueNanos(int index) {
        return (long) Math.ceil(index * SECOND / perSecond);
    }

    /** When the last start is due, nanoseconds after the beginning. */
    public long lengthNanos() {
        return total == 0 ? 0 : dueNanos(total - 1);
    }
}
