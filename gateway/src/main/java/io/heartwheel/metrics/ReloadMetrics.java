package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;

/** What became of the configuration when it was read again. Any thread. */
public final class ReloadMetrics extends Collector {
    private final Counter.Child applied;
    private final Counter.Child refused;
    private volatile int waiting;

    ReloadMetrics(CollectorRegistry registry) {
        Counter reloads = Metric.RELOADS.counter(registry);
        applied = reloads.labels("applied");
        refused = reloads.labels("refused");
        register(registry);
    }

    /**
     * It was good.
     *
     * @param waitingChanges those that only a restart can make
     */
    public void applied(int waitingChanges) {
        applied.inc();
        waiting = waitingChanges;
    }

    /** It was wrong. */
    public void refused() {
        refused.inc();
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(Family.of(Metric.RELOAD_WAITING_CHANGES, waiting));
    }
}
