package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Whether new devices are taken, asked when the page is wanted. Any thread. */
final class ReadyMetric extends Collector {
    private final BooleanSupplier ready;

    ReadyMetric(BooleanSupplier ready) {
        this.ready = ready;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(Family.of(Metric.READY, ready.getAsBoolean() ? 1 : 0));
    }
}
