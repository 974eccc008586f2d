package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers of the admin listener. Written by its own threads, read by any. */
public final class AdminMetrics extends Collector {
    private static final int CLASSES = 5;

    private final Counter.Child[] answers = new Counter.Child[CLASSES];
    private final Counter refusals;
    private final AtomicInteger open = new AtomicInteger();

    AdminMetrics(CollectorRegistry registry) {
        Counter all = Metric.ADMIN_REQUESTS.counter(registry);
        for (int i = 0; i < CLASSES; i++) {
            answers[i] = all.labels(i + 1 + "xx");
        }
        refusals = Metric.ADMIN_REFUSALS.counter(registry);
        register(registry);
    }

    /**
     * A request was answered.
     *
     * @param status 100..599
     */
    public void answered(int status) {
        answers[Math.max(1, Math.min(CLASSES, status / 100)) - 1].inc();
    }

    /** A connection was turned away, or closed for another, because there are too many. */
    public void refused() {
        refusals.inc();
    }

    /** A connection came. */
    public void entered() {
        open.incrementAndGet();
    }

    /** A connection ended. */
    public void left() {
        open.decrementAndGet();
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(Family.of(Metric.ADMIN_CONNECTIONS, open.get()));
    }
}
