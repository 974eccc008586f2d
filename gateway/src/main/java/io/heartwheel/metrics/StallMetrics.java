package io.heartwheel.metrics;

import io.heartwheel.session.Stalls;
import io.prometheus.client.Collector;
import java.util.List;

/** What each event loop knows of its stalls, read when the page is asked for. Any thread. */
final class StallMetrics extends Collector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<Stalls> loops;

    StallMetrics(List<Stalls> loops) {
        this.loops = List.copyOf(loops);
    }

    /** What the loop that lost most has lost since start, nanoseconds: all of them stand still when the process does. */
    long worstLossNanos() {
        return loops.stream().mapToLong(Stalls::totalNanos).max().orElse(0);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Family stalls = new Family(Metric.STALLS);
        Family seconds = new Family(Metric.STALL_SECONDS);
        for (int i = 0; i < loops.size(); i++) {
            stalls.add(loops.get(i).count(), Integer.toString(i));
            seconds.add(loops.get(i).totalNanos() / NANOS_PER_SECOND, Integer.toString(i));
        }
        return List.of(stalls.samples(), seconds.samples());
    }
}
