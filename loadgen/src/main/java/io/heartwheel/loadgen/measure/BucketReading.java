package io.heartwheel.loadgen.measure;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A histogram as a Prometheus text exposition tells it: somebody else's measurement, known only to its buckets.
 *
 * @param counts observations at most this large, by upper bound in seconds; cumulative, the last bound is infinite
 */
public record BucketReading(Map<Double, Long> counts) {

    private static final Pattern BOUND = Pattern.compile("le=\"([^\"]*)\"");

    /** Keeps its own copy. */
    public BucketReading {
        counts = new TreeMap<>(counts);
    }

    /**
     * The histogram of this name, all its label sets added up; empty when the text has none.
     *
     * @param exposition Prometheus text format
     * @param name without {@code _bucket}
     */
    public static Optional<BucketReading> find(String exposition, String name) {
        Map<Double, Long> counts = new TreeMap<>();
        PrometheusText.each(exposition, name + "_bucket", (labels, value) -> {
            Matcher bound = BOUND.matcher(labels);
            if (bound.find()) {
                String upper = bound.group(1).replace("+Inf", "Infinity");
                counts.merge(Double.valueOf(upper), value.longValue(), Long::sum);
            }
        });
        return counts.isEmpty() ? Optional.empty() : Optional.of(new BucketReading(counts));
    }

    /** Observations in all. */
    public long count() {
        return counts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** The smallest bound, seconds, that this share (0..1) of the observations does not exceed; 0 without any. */
    public double atMostSeconds(double share) {
        long wanted = (long) Math.ceil(count() * share);
        for (Map.Entry<Double, Long> bucket : counts.entrySet()) {
            if (bucket.getValue() >= wanted) {
                return wanted == 0 ? 0 : bucket.getKey();
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
