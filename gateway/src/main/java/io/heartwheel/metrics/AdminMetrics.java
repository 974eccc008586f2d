package io.heartwheel.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Counters of the admin listener. Written by its own threads, read by any. */
public final class AdminMetrics {
    private static final List<String> CLASSES = List.of("1xx", "2xx", "3xx", "4xx", "5xx");

    private final Counter.Child[] answers;
    private final Counter refusals;
    private final AtomicInteger open = new AtomicInteger();

    AdminMetrics(CollectorRegistry registry, Readings readings) {
        answers = Metric.ADMIN_REQUESTS.counters(registry, CLASSES);
        refusals = Metric.ADMIN_REFUSALS.counter(registry);
        readings.add(Metric.ADMIN_CONNECTIONS, open::get);
    }

    /**
     * A request was answered.
     *
     * @param status 100..599
     */
    public void answered(int status) {
        answers[Math.max(1, Math.min(CLASSES.size(), status / 100)) - 1].inc();
    }

    /** A connection was refused, or closed in favour of another, because there are too many. */
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
}
