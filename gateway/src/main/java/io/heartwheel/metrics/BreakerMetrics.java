package io.heartwheel.metrics;

import io.heartwheel.event.Incident;
import io.heartwheel.session.Breaker;
import io.heartwheel.session.SessionObserver.SuspectOutcome;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Mass expiries. Written by event loops, read by any thread. */
final class BreakerMetrics extends Collector {
    private final Counter incidents;
    private final Counter suspicions;
    private final Counter.Child[] outcomes = new Counter.Child[SuspectOutcome.values().length];

    private volatile @Nullable Breaker breaker;

    BreakerMetrics(CollectorRegistry registry) {
        incidents = Metric.BREAKER_INCIDENTS.counter(registry);
        suspicions = Metric.BREAKER_SUSPICIONS.counter(registry);
        Counter all = Metric.BREAKER_SUSPECT_OUTCOMES.counter(registry);
        for (SuspectOutcome outcome : SuspectOutcome.values()) {
            outcomes[outcome.ordinal()] = all.labels(outcome.label());
        }
        register(registry);
    }

    void watch(Breaker watched) {
        breaker = watched;
    }

    void suspected() {
        suspicions.inc();
    }

    void settled(SuspectOutcome outcome) {
        outcomes[outcome.ordinal()].inc();
    }

    void incident(Incident incident) {
        if (!incident.ended()) {
            incidents.inc();
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Breaker seen = breaker;
        if (seen == null) {
            return List.of();
        }
        Family failureGroups = new Family(Metric.BREAKER_OPEN_SCOPES);
        for (Breaker.Kind kind : Breaker.Kind.values()) {
            failureGroups.add(seen.openGroups(kind), kind.label());
        }
        return List.of(
                Family.of(Metric.BREAKER_OPEN, seen.isOpen() ? 1 : 0),
                failureGroups.samples(),
                Family.of(Metric.BREAKER_SUSPECTS, seen.suspects()));
    }
}
