package io.heartwheel.wheel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of a wheel.
 *
 * @param tick one step of the wheel, and the longest delay of an expiry while the wheel is turned on time; whole nanoseconds in 1ms..1s
 * @param buckets buckets a turn, a power of two in 64..1048576; within a turn of {@code tick x buckets} entries are filed to the tick, further
 *     ahead first in coarser levels. Entries are met up to a turn before their deadline, so a turn had better be much shorter than the common
 *     deadlines
 * @param maxEntries maximum number of registered entries, 1..268435456
 * @param slice maximum number of expiries before the clock is read again, 1..1000000
 */
public record WheelSettings(Duration tick, int buckets, int maxEntries, int slice) {

    /** The default {@link #slice}. */
    public static final int DEFAULT_SLICE = 1_024;

    private static final Duration MIN_TICK = Duration.ofMillis(1);

    private static final Duration MAX_TICK = Duration.ofSeconds(1);
    private static final int MIN_BUCKETS = 64;
    private static final int MAX_SLICE = 1_000_000;

    /**
     * Checks every component.
     *
     * @throws IllegalArgumentException with all of {@link #problems} in one message
     */
    public WheelSettings {
        List<String> problems = problems(tick, buckets, maxEntries, slice);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** With the default {@link #slice}. */
    public WheelSettings(Duration tick, int buckets, int maxEntries) {
        this(tick, buckets, maxEntries, DEFAULT_SLICE);
    }

    /** 10 ms, 512 buckets, room for 1,048,576 entries, 1,024 a slice. */
    public static WheelSettings defaults() {
        return new WheelSettings(Duration.ofMillis(10), 512, 1 << 20);
    }

    /** {@link #tick} in nanoseconds. */
    public long tickNanos() {
        return tick.toNanos();
    }

    /**
     * What is wrong with these values, one line each of key, value and accepted range, for a caller who collects the faults of a whole file.
     *
     * @return an empty list when they may be given to the constructor
     */
    public static List<String> problems(Duration tick, int buckets, int maxEntries, int slice) {
        List<String> problems = new ArrayList<>();
        if (tick.compareTo(MIN_TICK) < 0 || tick.compareTo(MAX_TICK) > 0) {
            problems.add("wheel.tick = " + inWords(tick) + ": need 1ms..1s");
        }
        if (buckets < MIN_BUCKETS || buckets > TimingWheel.MAX_BUCKETS || Integer.bitCount(buckets) != 1) {
            problems.add("wheel.buckets = " + buckets + ": need a power of two in " + MIN_BUCKETS + ".."
                    + TimingWheel.MAX_BUCKETS);
        }
        if (maxEntries < 1 || maxEntries > TimingWheel.MAX_ENTRIES) {
            problems.add("wheel.maxEntries = " + maxEntries + ": need 1.." + TimingWheel.MAX_ENTRIES);
        }
        if (slice < 1 || slice > MAX_SLICE) {
            problems.add("wheel.slice = " + slice + ": need 1.." + MAX_SLICE);
        }
        return problems;
    }

    /** As an operator writes it: 3ms, 1500us, 2s. */
    static String inWords(Duration duration) {
        int nanos = duration.getNano();
        if (nanos == 0) {
            return duration.toSeconds() + "s";
        }
        if (Math.abs(duration.getSeconds()) > 1_000_000) {
            return duration.toString();
        }
        long all = duration.toNanos();
        if (nanos % 1_000_000 == 0) {
            return all / 1_000_000 + "ms";
        }
        return nanos % 1_000 == 0 ? all / 1_000 + "us" : all + "ns";
    }
}
