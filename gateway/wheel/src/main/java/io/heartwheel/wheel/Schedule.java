package io.heartwheel.wheel;

import java.time.Duration;
import java.util.Objects;

/**
 * Schedule of a timer: the first delay, and the runs after it.
 *
 * <pre>
 *   atFixedRate      |--delay--|run|------|run----------|------|run|     a grid: start + delay + k x every
 *                              |---every--|----every----|-every-|
 *   withFixedDelay   |--delay--|run|--every--|run----------|--every--|   a pause after each run
 * </pre>
 *
 * @param kind what happens after a run
 * @param delayNanos until the first run, nanoseconds; zero and negative are due at once, more than {@link Deadline#MAX_DELAY_NANOS} is taken
 *     as that
 * @param everyNanos the period or the pause, nanoseconds in 1..{@link Deadline#MAX_DELAY_NANOS}; 0 for {@link Kind#ONCE}
 * @param times runs in all, 1 or more; {@link #FOR_EVER}; 1 for {@link Kind#ONCE}
 */
public record Schedule(Kind kind, long delayNanos, long everyNanos, long times) {

    /** As many {@link #times} as nobody will live to count. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    /** Repetition of a timer. */
    public enum Kind {
        /** Nothing. */
        ONCE,
        /** The next run is one period after the last was due. */
        FIXED_RATE,
        /** The next run is one pause after the last was over. */
        FIXED_DELAY
    }

    /**
     * Checks every component.
     *
     * @throws IllegalArgumentException naming what is out of its range
     */
    public Schedule {
        Objects.requireNonNull(kind, "kind");
        if (kind == Kind.ONCE) {
            need("everyNanos", everyNanos, 0, 0);
            need("times", times, 1, 1);
        } else {
            need("everyNanos", everyNanos, 1, Deadline.MAX_DELAY_NANOS);
            need("times", times, 1, FOR_EVER);
        }
    }

    private static void need(String name, long value, long least, long most) {
        if (value < least || value > most) {
            String range = least == most ? Long.toString(least) : least + ".." + most;
            throw new IllegalArgumentException("schedule." + name + " = " + value + ": need " + range);
        }
    }

    /** One run, {@code delayNanos} from when the timer is started. */
    public static Schedule once(long delayNanos) {
        return new Schedule(Kind.ONCE, delayNanos, 0, 1);
    }

    /** One run, a delay from when the timer is started. */
    public static Schedule once(Duration delay) {
        return once(nanos(delay));
    }

    /**
     * Runs on a grid: at {@code initialNanos}, and then every {@code periodNanos}, for ever. Runs never overlap and never come in a burst: see
     * {@link Timers}.
     */
    public static Schedule atFixedRate(long initialNanos, long periodNanos) {
        return new Schedule(Kind.FIXED_RATE, initialNanos, periodNanos, FOR_EVER);
    }

    /** As {@link #atFixedRate(long, long)}. */
    public static Schedule atFixedRate(Duration initial, Duration period) {
        return atFixedRate(nanos(initial), nanos(period));
    }

    /** A run at {@code initialNanos}, and then one {@code pauseNanos} after the end of the last, for ever. */
    public static Schedule withFixedDelay(long initialNanos, long pauseNanos) {
        return new Schedule(Kind.FIXED_DELAY, initialNanos, pauseNanos, FOR_EVER);
    }

    /** As {@link #withFixedDelay(long, long)}. */
    public static Schedule withFixedDelay(Duration initial, Duration pause) {
        return withFixedDelay(nanos(initial), nanos(pause));
    }

    /** The same with this many runs in all. */
    public Schedule times(long runs) {
        return new Schedule(kind, delayNanos, everyNanos, runs);
    }

    /** Whole nanoseconds, cut to {@link Deadline#MAX_DELAY_NANOS} either way. */
    static long nanos(Duration duration) {
        long most = Deadline.MAX_DELAY_NANOS / 1_000_000_000L;
        if (duration.toSeconds() >= most) {
            return Deadline.MAX_DELAY_NANOS;
        }
        return duration.toSeconds() <= -most ? -Deadline.MAX_DELAY_NANOS : duration.toNanos();
    }
}
