package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.measure.BucketReading;
import io.heartwheel.loadgen.measure.PrometheusText;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Figures that gateways report of themselves, all together.
 *
 * @param asked gateways there are
 * @param answered those that told; one that is frozen, dead or starting does not
 * @param connections connections open now
 * @param lateness of their expiries, since they started; null when none tells
 */
public record GatewayReading(int asked, int answered, long connections, @Nullable BucketReading lateness) {

    /** The sum of several {@code /metrics}. */
    static GatewayReading of(int asked, List<String> expositions) {
        String all = String.join("\n", expositions);
        return new GatewayReading(
                asked,
                expositions.size(),
                (long) PrometheusText.sum(all, "heartwheel_connections"),
                BucketReading.find(all, "heartwheel_expiry_lateness_seconds").orElse(null));
    }

    /** Their own view of their lateness in one line; empty when they do not tell. */
    public Optional<String> ownLateness() {
        BucketReading reading = lateness;
        return reading == null
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%-20s p50 at most %.1f ms, p99 at most %.1f ms, of %,d (its /metrics)",
                        "gateway's own view",
                        1e3 * reading.atMostSeconds(0.50),
                        1e3 * reading.atMostSeconds(0.99),
                        reading.count()));
    }
}
