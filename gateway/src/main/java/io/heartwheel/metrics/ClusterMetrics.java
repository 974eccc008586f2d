package io.heartwheel.metrics;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.metrics.Readings.Family;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** Readings of the fleet. Any thread. */
final class ClusterMetrics {
    private ClusterMetrics() {}

    static void watch(
            Readings readings,
            ClusterCounts counts,
            BooleanSupplier reachable,
            IntSupplier pending,
            IntSupplier nodes) {
        readings.addFlag(Metric.CLUSTER_REACHABLE, reachable)
                .addSeries(Metric.CLUSTER_CLAIMS, family -> each(family, counts, "claim"))
                .add(Metric.CLUSTER_CLAIMS_PENDING, pending::getAsInt)
                .addSeries(Metric.CLUSTER_KICKS, family -> each(family, counts, "kick"))
                .addSeries(Metric.CLUSTER_SWEEP_ROWS, family -> each(family, counts, "sweep"))
                .addSeries(Metric.CLUSTER_RELEASES, family -> each(family, counts, "release"))
                .addSeries(Metric.CLUSTER_CALLS, family -> each(family, counts, "call"))
                .addSeries(Metric.CLUSTER_SERVED, family -> each(family, counts, "served"))
                .addSeries(Metric.CLUSTER_GIVEN, family -> each(family, counts, "given"))
                .addSeries(Metric.CLUSTER_SCHEDULES, family -> each(family, counts, "schedule"))
                .add(Metric.CLUSTER_NODES, nodes::getAsInt)
                .add(Metric.CLUSTER_NODES_DOWN, () -> counts.get(What.NODE_DOWN))
                .addSeries(Metric.CLUSTER_LOST_DEVICES, family -> each(family, counts, "lost"));
    }

    private static void each(Family family, ClusterCounts counts, String subject) {
        for (What what : What.values()) {
            if (what.subject().equals(subject)) {
                family.add(counts.get(what), what.label());
            }
        }
    }
}
