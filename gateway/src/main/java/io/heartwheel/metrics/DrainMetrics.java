package io.heartwheel.metrics;

import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainProgress;
import io.prometheus.client.Collector;
import java.util.List;
import java.util.function.Supplier;

/** How far a drain is. Asked by any thread. */
final class DrainMetrics extends Collector {
    private final Supplier<DrainProgress> progress;
    private final DrainCounts counts;

    DrainMetrics(Supplier<DrainProgress> progress, DrainCounts counts) {
        this.progress = progress;
        this.counts = counts;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        DrainProgress now = progress.get();
        boolean lasts = now.phase() != DrainPhase.NONE && now.phase() != DrainPhase.CANCELLED;
        Family phases = new Family(Metric.DRAIN_PHASE);
        for (DrainPhase phase : DrainPhase.values()) {
            phases.add(phase == now.phase() ? 1 : 0, phase.label());
        }
        return List.of(
                phases.samples(),
                Family.of(Metric.DRAIN_REMAINING, lasts ? now.remaining() : 0),
                Family.of(Metric.DRAIN_TOLD, counts.toldTotal()),
                Family.of(Metric.DRAIN_LEFT, counts.leftTotal()),
                Family.of(Metric.DRAIN_CLOSED, counts.closedTotal()));
    }
}
