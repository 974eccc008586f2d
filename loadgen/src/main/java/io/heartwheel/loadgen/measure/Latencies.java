package io.heartwheel.loadgen.measure;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Durations from one microsecond to an hour, kept to two or three digits. One owner thread writes and reads; merge copies
 * of several owners at the end. {@link #record} costs a few nanoseconds and allocates nothing until a value is larger
 * than any before.
 */
public final class Latencies {

    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final long FINEST_NANOS = 1_000L;
    /** Where a histogram begins to have to grow. */
    private static final long COMMON_NANOS = 1_000_000_000L;

    private final int digits;
    private @Nullable Histogram histogram;

    private Latencies(int digits) {
        this.digits = digits;
    }

    /** Kept to two digits, about 20 KiB once used: for what is counted by the million. */
    public static Latencies coarse() {
        return new Latencies(2);
    }

    /** Kept to three digits, about 150 KiB once used: for what a verdict hangs on. */
    public static Latencies fine() {
        return new Latencies(3);
    }

    private Histogram histogram() {
        Histogram own = histogram;
        if (own == null) {
            own = new Histogram(FINEST_NANOS, COMMON_NANOS, digits);
            own.setAutoResize(true);
            histogram = own;
        }
        return own;
    }

    /** Notes a duration, nanoseconds; below zero counts as zero, over an hour as an hour. */
    public void record(long nanos) {
        histogram().recordValue(Math.max(0, Math.min(nanos, LONGEST_NANOS)));
    }

    /** Adds all that another owner noted. */
    public void add(Latencies other) {
        if (other.histogram != null && other.count() > 0) {
            histogram().add(other.histogram);
        }
    }

    /** How many were noted. */
    public long count() {
        Histogram own = histogram;
        return own == null ? 0 : own.getTotalCount();
    }

    /** All that was noted, in HdrHistogram's compressed encoding and Base64: some hundred bytes to a few thousand. */
    public String encoded() {
        ByteBuffer bytes = ByteBuffer.allocate(histogram().getNeededByteBufferCapacity());
        int length = histogram().encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    /**
     * Adds what another process {@link #encoded}.
     *
     * @throws IllegalArgumentException when it is no histogram
     */
    public void addEncoded(String encoded) {
        histogram().add(histogram(encoded));
    }

    /**
     * What another process {@link #encoded}, exactly as fine as it was.
     *
     * @throws IllegalArgumentException when it is no histogram
     */
    public static Latencies decoded(String encoded) {
        Latencies latencies = coarse();
        latencies.histogram = histogram(encoded);
        return latencies;
    }

    private static Histogram histogram(String encoded) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("histogram of " + encoded.length() + " characters: not readable", e);
        }
    }

    /** How many were at most this long, to the histogram's own resolution. */
    public long countUpTo(long nanos) {
        return nanos < 0 ? 0 : histogram().getCountBetweenValues(0, Math.min(nanos, LONGEST_NANOS));
    }

    /** @param share 0..1 */
    public long atShare(double share) {
        return histogram().getValueAtPercentile(100 * share);
    }

    /** The sum of all, to the histogram's own resolution. */
    public double sumNanos() {
        return count() == 0 ? 0 : histogram().getMean() * count();
    }

    /** Forgets everything. */
    public void reset() {
        Histogram own = histogram;
        if (own != null && own.getTotalCount() > 0) {
            own.reset();
        }
    }

    /** What was noted so far, as numbers. */
    public Summary summary() {
        Histogram own = histogram;
        return own == null || own.getTotalCount() == 0
                ? Summary.NOTHING
                : new Summary(
                        own.getTotalCount(),
                        own.getValueAtPercentile(50),
                        own.getValueAtPercentile(90),
                        own.getValueAtPercentile(99),
                        own.getValueAtPercentile(99.9),
                        own.getMaxValue());
    }

    /** Count, percentiles and greatest value, nanoseconds. */
    public record Summary(long count, long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos, long maxNanos) {

        /** Of no values. */
        public static final Summary NOTHING = new Summary(0, 0, 0, 0, 0, 0);

        /** One of its numbers: {@code count}, {@code p50}, {@code p90}, {@code p99}, {@code p999} or {@code max}. */
        public long part(String name) {
            return switch (name) {
                case "count" -> count;
                case "p50" -> p50Nanos;
                case "p90" -> p90Nanos;
                case "p99" -> p99Nanos;
                case "p999" -> p999Nanos;
                case "max" -> maxNanos;
                default -> throw new IllegalArgumentException(name + ": no part of a timing");
            };
        }

        /** The four figures that tell a distribution. */
        String text() {
            return String.format(
                    Locale.ROOT,
                    "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.1f ms",
                    p50Nanos / 1e6,
                    p99Nanos / 1e6,
                    p999Nanos / 1e6,
                    maxNanos / 1e6);
        }
    }
}
