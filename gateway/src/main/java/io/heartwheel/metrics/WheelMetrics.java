package io.heartwheel.metrics;

import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelCounters;
import io.prometheus.client.Collector;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The wheel, read when the page is asked for. Any thread; counting the armed entries takes about a millisecond a million. */
final class WheelMetrics extends Collector {
    private final TimingWheel wheel;
    private final BooleanSupplier running;

    WheelMetrics(TimingWheel wheel, BooleanSupplier running) {
        this.wheel = wheel;
        this.running = running;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        WheelCounters counters = wheel.counters();
        return List.of(
                Family.of(Metric.WHEEL_RUNNING, running.getAsBoolean() ? 1 : 0),
                Family.of(Metric.WHEEL_TICK_SECONDS, wheel.tickNanos() / 1e9),
                new Family(Metric.WHEEL_ENTRIES)
                        .add(counters.registered(), "registered")
                        .add(wheel.countArmed(), "armed")
                        .add(counters.filed(), "filed")
                        .samples(),
                Family.of(Metric.WHEEL_ENTRIES_LIMIT, wheel.maxEntries()),
                Family.of(Metric.WHEEL_EXPIRIES, counters.expired()),
                Family.of(Metric.WHEEL_MOVES, counters.moved()),
                Family.of(Metric.WHEEL_CASCADES, counters.cascaded()),
                Family.of(Metric.WHEEL_DROPS, counters.dropped()),
                Family.of(Metric.WHEEL_HANDOVERS, counters.handedOver()),
                Family.of(Metric.WHEEL_REJECTIONS, counters.rejected()),
                Family.of(Metric.WHEEL_FAILURES, counters.failed()));
    }
}
