package io.heartwheel.loadgen.report;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** A histogram out of a result or a ledger's page, to be asked for what a plot or a metric needs. Nanoseconds. */
final class Distribution {

    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final Histogram histogram;

    private Distribution(Histogram histogram) {
        this.histogram = histogram;
    }

    /**
     * Reads HdrHistogram's compressed encoding in Base64.
     *
     * @throws IllegalArgumentException when it is none
     */
    static Distribution of(String encoded) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
            return new Distribution(Histogram.decodeFromCompressedByteBuffer(bytes, LONGEST_NANOS));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("histogram = " + encoded.length() + " characters: not readable", e);
        }
    }

    long count() {
        return histogram.getTotalCount();
    }

    long leastNanos() {
        return count() == 0 ? 0 : histogram.getMinValue();
    }

    long mostNanos() {
        return histogram.getMaxValue();
    }

    /** How many were at most this long, to the histogram's own resolution. */
    long countUpTo(long nanos) {
        return nanos < 0 ? 0 : histogram.getCountBetweenValues(0, Math.min(nanos, LONGEST_NANOS));
    }

    /** @param share 0..1 */
    long atShare(double share) {
        return histogram.getValueAtPercentile(100 * share);
    }

    /** The sum of all, to the histogram's own resolution. */
    double sumNanos() {
        return count() == 0 ? 0 : histogram.getMean() * count();
    }
}
