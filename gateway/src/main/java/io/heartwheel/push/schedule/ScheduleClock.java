package io.heartwheel.push.schedule;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The two clocks of schedules, in milliseconds: the wall clock, which may be set, and the steady one, which goes on whatever happens to the wall clock.
 *
 * <pre>
 *   wall     ---------------+ set forward by an hour
 *                           |   +----------------   wall   = steady + steps
 *   steady   ----------------------------------
 * </pre>
 *
 * <p>The steady clock is that of the wheel, told in milliseconds. Over a restart it goes on by the wall clock less the {@code steps} that were seen before, so
 * a step is not mistaken for time that passed.
 *
 * <p>The schedules' thread looks and changes; any thread converts.
 */
final class ScheduleClock {
    /** The wall clock is set when it leaves the steady one by more than this; less is drift, and is followed without telling the disk. */
    static final long STEP_MILLIS = 100;

    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    /** A time of the steady clock in nanoseconds less this is one of the wheel's; may wrap. */
    private volatile long steadyOffsetNanos;
    /** The same of the wall clock. */
    private volatile long wallOffsetNanos;
    /** The least {@link #wallOffsetNanos} that something may be armed by. */
    private long armedOffsetNanos;

    private long stepsMillis;

    /**
     * Both clocks go on from now.
     *
     * @param nanoClock monotonic nanoseconds, the clock of the wheel
     * @param wallMillis milliseconds since 1970
     */
    ScheduleClock(LongSupplier nanoClock, LongSupplier wallMillis) {
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        wallOffsetNanos = wallMillis.getAsLong() * NANOS_PER_MILLI - nanoClock.getAsLong();
        armedOffsetNanos = wallOffsetNanos;
        steadyOffsetNanos = wallOffsetNanos;
    }

    /** Goes on where the steady clock of an earlier start was. Schedules' thread, before anything is told by it. */
    void continueFrom(long steps) {
        stepsMillis = steps;
        steadyOffsetNanos = wallOffsetNanos - steps * NANOS_PER_MILLI;
    }

    /** The wheel's time. */
    long nowNanos() {
        return nanoClock.getAsLong();
    }

    /**
     * The wheel's time of a time in milliseconds, as far as is known now. Any thread.
     *
     * @param wall whether it is one of the wall clock
     */
    long nanosOf(boolean wall, long millis) {
        return millis * NANOS_PER_MILLI - (wall ? wallOffsetNanos : steadyOffsetNanos);
    }

    /** The time in milliseconds at a time of the wheel, as far as is known now; whole ones that have passed. Any thread. */
    long millisOf(boolean wall, long nanos) {
        return Math.floorDiv(nanos + (wall ? wallOffsetNanos : steadyOffsetNanos), NANOS_PER_MILLI);
    }

    /** The next whole millisecond of the steady clock: a delay that counts from it is never too short. */
    long steadyMillis() {
        return millisOf(false, nanoClock.getAsLong()) + 1;
    }

    /** The wall clock, as its owner has it now. */
    long wallMillis() {
        return wallMillis.getAsLong();
    }

    /** A time of the wall clock as it is likely to be when the time of either clock comes. */
    long wallMillisOf(boolean wall, long millis) {
        return wall ? millis : millisOf(true, nanosOf(false, millis));
    }

    /** Looks at the wall clock. Schedules' thread. */
    void look() {
        wallOffsetNanos = wallMillis.getAsLong() * NANOS_PER_MILLI - nanoClock.getAsLong();
        if (wallOffsetNanos - armedOffsetNanos < 0) {
            armedOffsetNanos = wallOffsetNanos; // what is armed from now on is armed later
        }
    }

    /** Whether times of the wall clock come so much earlier than was known that they must be armed anew; they are, after this. Schedules' thread. */
    boolean takeEarlier() {
        boolean earlier = wallOffsetNanos - armedOffsetNanos > STEP_MILLIS * NANOS_PER_MILLI / 2;
        if (earlier) {
            armedOffsetNanos = wallOffsetNanos;
        }
        return earlier;
    }

    /** Whether the wall clock was set since the last call, or has drifted as far. Schedules' thread. */
    boolean takeStep() {
        long steps = Math.floorDiv(wallOffsetNanos - steadyOffsetNanos, NANOS_PER_MILLI);
        boolean stepped = Math.abs(steps - stepsMillis) >= STEP_MILLIS;
        if (stepped) {
            stepsMillis = steps;
        }
        return stepped;
    }

    /** Steps of the wall clock so far. Schedules' thread. */
    long stepsMillis() {
        return stepsMillis;
    }
}
