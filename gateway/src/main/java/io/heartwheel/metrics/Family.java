package io.heartwheel.metrics;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import java.util.ArrayList;
import java.util.List;

/** One metric with the values it has at a scrape; created, filled and converted on one thread. */
final class Family {
    private final Metric metric;
    private final List<Sample> samples = new ArrayList<>();

    Family(Metric metric) {
        this.metric = metric;
    }

    /**
     * One series.
     *
     * @param labels a value for each of the metric's labels, in their order
     */
    Family add(double value, String... labels) {
        if (labels.length != metric.labels().size()) {
            throw new IllegalArgumentException(metric.fullName() + ": need labels " + metric.labels());
        }
        samples.add(new Sample(metric.fullName(), metric.labels(), List.of(labels), value));
        return this;
    }

    MetricFamilySamples samples() {
        return new MetricFamilySamples(metric.fullName(), metric.type(), metric.help(), samples);
    }
}
