package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Specification of a schedule, as it was asked for. Immutable; any thread.
 *
 * <pre>
 *   ONCE    |--after--|run
 *   RATE    |--after--|run|------|run|----------|run|     a grid: first + n x every
 *                     |---every--|----every-----|
 *   DELAY   |--after--|run----|--every--|run|--every--|   a pause after the end of each run
 * </pre>
 *
 * @param start from where {@code startMillis} counts
 * @param startMillis the first time: so long from now, 0 or more; or milliseconds since 1970
 * @param repeat what comes after a run
 * @param everyMillis period or pause, {@link #MIN_EVERY}..{@link #MAX_AHEAD}; 0 for {@link Repeat#ONCE}
 * @param times that come in all, runs and those that are skipped, 1 or more; {@link #FOR_EVER}; 1 for {@link Repeat#ONCE}
 * @param ack what is waited for
 * @param timeoutMillis how long a message is waited for, 1 or more
 * @param store whether a message is kept on the disk until it is delivered or given up
 * @param text whether the payload is UTF-8
 */
public record ScheduleSpec(
        To to,
        Start start,
        long startMillis,
        Repeat repeat,
        long everyMillis,
        long times,
        Missed missed,
        Push.Ack ack,
        long timeoutMillis,
        boolean store,
        boolean text) {
    /** The shortest period and pause. */
    public static final Duration MIN_EVERY = Duration.ofMillis(100);

    /** The farthest that a time may lie ahead, and the longest period. */
    public static final Duration MAX_AHEAD = Duration.ofDays(366);

    /** A time is missed when it is later than this. More than the second between two looks at the wall clock. */
    static final long GRACE_MILLIS = Duration.ofSeconds(5).toMillis();

    /** As many {@link #times} as nobody will live to count. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    /** Receivers of the messages. */
    public enum Kind {
        /** One device. */
        DEVICE,
        /** The devices of a group. */
        GROUP,
        /** Every device. */
        ALL
    }

    /**
     * Whom the messages are for.
     *
     * @param name of the device or group; empty for all
     */
    public record To(Kind kind, String name) {}

    /** How the first time is given. */
    public enum Start {
        /** From now: steps of the wall clock change nothing. */
        AFTER,
        /** By the wall clock, which it follows. */
        AT
    }

    /** Repetition of a schedule. */
    public enum Repeat {
        /** None. */
        ONCE,
        /** The next time is one period after the last. */
        RATE,
        /** The next time is one pause after the end of the last run. */
        DELAY
    }

    /** Treatment of the times that came while the gateway was down or stood still: see {@link RunPlan}. */
    public enum Missed {
        /** Nothing: it goes on with the next. */
        SKIP,
        /** One run, however many there were. */
        ONCE,
        /** Each is made up for, one after the other. */
        ALL
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public ScheduleSpec {
        need("startMillis", startMillis, start == Start.AFTER ? 0 : Long.MIN_VALUE, Long.MAX_VALUE);
        boolean once = repeat == Repeat.ONCE;
        need("everyMillis", everyMillis, once ? 0 : MIN_EVERY.toMillis(), once ? 0 : MAX_AHEAD.toMillis());
        need("times", times, 1, once ? 1 : FOR_EVER);
        need("timeoutMillis", timeoutMillis, 1, MAX_AHEAD.toMillis());
    }

    private static void need(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("schedule." + name + " = " + value + ": need " + least + ".." + most);
        }
    }

    /** A constant as in requests and answers. */
    public static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The first time by the wall clock, of one that starts so; of a grid whose first time is over, the next one. */
    long firstAt(long nowMillis) {
        boolean over = startMillis < nowMillis - GRACE_MILLIS;
        return repeat == Repeat.RATE && over
                ? nowMillis + Math.floorMod(startMillis - nowMillis, everyMillis)
                : startMillis;
    }

    /** Why a first time by the wall clock cannot be, for people; null if it can. */
    @Nullable
    String refusal(long firstMillis, long nowMillis) {
        boolean can = firstMillis >= nowMillis - GRACE_MILLIS && firstMillis <= nowMillis + MAX_AHEAD.toMillis();
        return can
                ? null
                : "at = " + Instant.ofEpochMilli(startMillis) + ": need a time to come, at most " + MAX_AHEAD.toDays()
                        + " days ahead";
    }
}
