package io.heartwheel.wheel;

import java.time.Duration;

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

    /** @throws IllegalArgumentException naming key, value and accepted range of what is out of its range */
    public WheelSettings {
        need(tick.compareTo(MIN_TICK) >= 0 && tick.compareTo(MAX_TICK) <= 0, "tick", inWords(tick), "1ms..1s");
        boolean fits = buckets >= MIN_BUCKETS && buckets <= TimingWheel.MAX_BUCKETS && Integer.bitCount(buckets) == 1;
        need(fits, "buckets", buckets, "a power of two in " + MIN_BUCKETS + ".." + TimingWheel.MAX_BUCKETS);
        need(
                maxEntries >= 1 && maxEntries <= TimingWheel.MAX_ENTRIES,
                "maxEntries",
                maxEntries,
                "1.." + TimingWheel.MAX_ENTRIES);
        need(slice >= 1 && slice <= MAX_SLICE, "slice", slice, "1.." + MAX_SLICE);
    }

    private static void need(boolean fits, String key, Object value, String range) {
        if (!fits) {
            throw new IllegalArgumentException("wheel." + key + " = " + value + ": need " + range);
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
