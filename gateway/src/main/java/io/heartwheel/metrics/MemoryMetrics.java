package io.heartwheel.metrics;

import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.transport.MemoryReading;
import io.heartwheel.transport.MemoryReading.Area;
import io.prometheus.client.Collector;
import java.util.List;

/** What the memory guard saw last, and what it did. Read by any thread. */
final class MemoryMetrics extends Collector {
    private final MemoryGuard guard;

    MemoryMetrics(MemoryGuard guard) {
        this.guard = guard;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        MemoryReading seen = guard.latest();
        Family used = new Family(Metric.MEMORY_USED_BYTES);
        Family limit = new Family(Metric.MEMORY_LIMIT_BYTES);
        add(used, limit, "heap", seen.heap());
        add(used, limit, "direct", seen.direct());
        add(used, limit, "process", seen.process());
        return List.of(
                used.samples(),
                limit.samples(),
                Family.of(Metric.MEMORY_SHORT, guard.isShort() ? 1 : 0),
                Family.of(Metric.MEMORY_SHORTAGES, guard.shortages()));
    }

    private static void add(Family used, Family limit, String name, Area area) {
        used.add(area.usedBytes(), name);
        limit.add(area.limitBytes(), name);
    }
}
