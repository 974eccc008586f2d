package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How punctual expiries are now and were lately, for alerts that cannot wait for a histogram. Any thread. */
final class PunctualityMetrics extends Collector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final RecentMaximum worst = new RecentMaximum(System::nanoTime, TimeUnit.SECONDS.toNanos(30));
    private volatile LongSupplier overdueNanos = () -> 0;

    PunctualityMetrics(CollectorRegistry registry) {
        register(registry);
    }

    void watch(LongSupplier watched) {
        overdueNanos = watched;
    }

    void late(long latenessNanos) {
        worst.note(latenessNanos);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                Family.of(Metric.EXPIRY_OVERDUE_SECONDS, overdueNanos.getAsLong() / NANOS_PER_SECOND),
                Family.of(Metric.EXPIRY_LATENESS_WORST_SECONDS, worst.worst() / NANOS_PER_SECOND));
    }
}
