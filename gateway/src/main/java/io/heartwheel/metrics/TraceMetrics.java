package io.heartwheel.metrics;

import io.heartwheel.sink.TraceObserver;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;
import java.util.function.IntSupplier;

/** What becomes of the liveness trace. Written by event loops and the trace's thread, read by any. */
final class TraceMetrics extends Collector implements TraceObserver {
    private final Counter connections;
    private final Counter.Child written;
    private final Counter.Child dropped;
    private final Counter.Child beyond;
    private final Counter bytes;
    private final Counter failures;
    private volatile IntSupplier depth = () -> 0;

    TraceMetrics(CollectorRegistry registry) {
        connections = Metric.TRACE_CONNECTIONS.counter(registry);
        Counter lines = Metric.TRACE_LINES.counter(registry);
        written = lines.labels("written");
        dropped = lines.labels("dropped");
        beyond = lines.labels("beyond");
        bytes = Metric.TRACE_WRITTEN_BYTES.counter(registry);
        failures = Metric.TRACE_WRITE_FAILURES.counter(registry);
        register(registry);
    }

    void traced() {
        connections.inc();
    }

    @Override
    public void written(int lines, int moreBytes) {
        written.inc(lines);
        bytes.inc(moreBytes);
    }

    @Override
    public void beyond(int lines) {
        beyond.inc(lines);
    }

    @Override
    public void dropped(int lines) {
        dropped.inc(lines);
    }

    @Override
    public void writeFailed() {
        failures.inc();
    }

    @Override
    public void queue(IntSupplier waiting, int capacity) {
        depth = waiting;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(Family.of(Metric.TRACE_QUEUE_LINES, depth.getAsInt()));
    }
}
