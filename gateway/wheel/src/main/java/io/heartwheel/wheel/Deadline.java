package io.heartwheel.wheel;

/**
 * Arithmetic of deadlines: points on a monotonic nanosecond clock, compared by the sign of a difference, never by {@code <}.
 *
 * <p>The clock may start anywhere in the range of a {@code long} and may wrap. A deadline lies at most {@link #MAX_DELAY_NANOS} (about 146
 * years) ahead. One that seems to have passed by more than that is taken for a delay that overflowed when it was added to the time, and
 * therefore for one that far ahead: too long a delay never expires early.
 *
 * <p>Pure functions; any thread; a few instructions each.
 */
public final class Deadline {

    /** Says that nothing is to expire. The one {@code long} that is no point in time. */
    public static final long NO_DEADLINE = Long.MIN_VALUE;

    /** The longest delay in nanoseconds, 2^62 - 1, about 146 years; longer ones are cut to it. */
    public static final long MAX_DELAY_NANOS = Long.MAX_VALUE >> 1;

    /**
     * The smallest {@code long} that is taken as a point in time. The few below it are the wheel's own marks; a time that falls on one of them
     * is moved up to this, by at most four nanoseconds: later, never earlier.
     */
    static final long FIRST = Long.MIN_VALUE + 4;

    private Deadline() {}

    /**
     * The deadline that lies {@code delayNanos} after {@code nowNanos}.
     *
     * @param nowNanos the time, nanoseconds
     * @param delayNanos nanoseconds; negative is taken as 0, more than {@link #MAX_DELAY_NANOS} as that
     * @return a point in time, never {@link #NO_DEADLINE}
     */
    public static long after(long nowNanos, long delayNanos) {
        return Math.max(nowNanos + Math.min(Math.max(delayNanos, 0), MAX_DELAY_NANOS), FIRST);
    }

    /**
     * How long until the deadline.
     *
     * @param deadlineNanos a point in time, not {@link #NO_DEADLINE}
     * @param nowNanos the time, nanoseconds
     * @return nanoseconds, zero or negative once the deadline is reached; never more than {@link #MAX_DELAY_NANOS} either way
     */
    public static long remaining(long deadlineNanos, long nowNanos) {
        long nanos = deadlineNanos - nowNanos;
        return nanos < -MAX_DELAY_NANOS ? MAX_DELAY_NANOS : Math.min(nanos, MAX_DELAY_NANOS);
    }

    /**
     * Whether the deadline is reached.
     *
     * @param deadlineNanos a point in time or {@link #NO_DEADLINE}, which is never reached
     * @param nowNanos the time, nanoseconds
     */
    public static boolean isDue(long deadlineNanos, long nowNanos) {
        return deadlineNanos != NO_DEADLINE && remaining(deadlineNanos, nowNanos) <= 0;
    }
}
