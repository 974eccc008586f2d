package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** Table of the metrics that are read when the page is asked for. Any thread; what reads a value never blocks and never throws. */
final class Readings extends Collector {
    /** One metric with the values it has at a scrape; created, filled and converted on one thread. */
    static final class Family {
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

    private record Reading(Metric metric, Consumer<Family> fill) {}

    private final List<Reading> table = new CopyOnWriteArrayList<>();

    /** A metric without labels. */
    Readings add(Metric metric, DoubleSupplier value) {
        return addSeries(metric, family -> family.add(value.getAsDouble()));
    }

    /** A metric that is 1 or 0. */
    Readings addFlag(Metric metric, BooleanSupplier value) {
        return addSeries(metric, family -> family.add(value.getAsBoolean() ? 1 : 0));
    }

    /** A metric with labels. */
    Readings addSeries(Metric metric, Consumer<Family> fill) {
        table.add(new Reading(metric, fill));
        return this;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return table.stream()
                .map(reading -> {
                    Family family = new Family(reading.metric);
                    reading.fill.accept(family);
                    return family.samples();
                })
                .toList();
    }
}
