package io.heartwheel.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;

/** Counters of the reloads of the configuration. Any thread. */
public final class ReloadMetrics {
    private final Counter.Child applied;
    private final Counter.Child refused;
    private volatile int waiting;

    ReloadMetrics(CollectorRegistry registry, Readings readings) {
        Counter.Child[] reloads = Metric.RELOADS.counters(registry, List.of("applied", "refused"));
        applied = reloads[0];
        refused = reloads[1];
        readings.add(Metric.RELOAD_WAITING_CHANGES, () -> waiting);
    }

    /**
     * The configuration was valid.
     *
     * @param waitingChanges those that need a restart
     */
    public void applied(int waitingChanges) {
        applied.inc();
        waiting = waitingChanges;
    }

    /** The configuration was invalid. */
    public void refused() {
        refused.inc();
    }
}
