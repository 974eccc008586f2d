package io.heartwheel.metrics;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.session.SessionObserver.ShadowOutcome;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;

/** What the shadow policy would have done. Written by event loops. */
final class ShadowMetrics {
    /** Those that a shadow policy can have. */
    private static final List<DeadlineKind> KINDS = List.of(
            DeadlineKind.HANDSHAKE,
            DeadlineKind.HEARTBEAT,
            DeadlineKind.READ_PROGRESS,
            DeadlineKind.READER_IDLE,
            DeadlineKind.WRITE_PROGRESS);

    private static final double NANOS_PER_SECOND = 1e9;

    private final Counter kills;
    private final Counter outcomes;
    private final Histogram spokeAfter;

    ShadowMetrics(CollectorRegistry registry) {
        kills = Metric.SHADOW_KILLS.counter(registry);
        outcomes = Metric.SHADOW_OUTCOMES.counter(registry);
        spokeAfter = Metric.SHADOW_SPOKE_AFTER_SECONDS.histogram(registry);
        for (DeadlineKind kind : KINDS) {
            kills.labels(kind.label());
            for (ShadowOutcome outcome : ShadowOutcome.values()) {
                outcomes.labels(kind.label(), outcome.label());
            }
        }
    }

    void shadowed(DeadlineKind kind) {
        kills.labels(kind.label()).inc();
    }

    void settled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter) {
        outcomes.labels(kind.label(), outcome.label()).inc();
        if (outcome == ShadowOutcome.SPOKE) {
            spokeAfter.observe(nanosAfter / NANOS_PER_SECOND);
        }
    }
}
