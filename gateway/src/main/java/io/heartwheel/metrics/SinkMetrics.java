package io.heartwheel.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import java.util.List;
import java.util.function.IntSupplier;

/** What becomes of facts. Written by event loops and the sink's thread, read by any. */
final class SinkMetrics extends Collector {
    private final Counter.Child accepted;
    private final Counter.Child refused;
    private final Counter.Child lost;
    private final Counter dropped;
    private final Counter writeFailures;

    private record Queue(IntSupplier depth, int capacity) {}

    private volatile Queue queue = new Queue(() -> 0, 0);
    private volatile IntSupplier waiting = () -> 0;

    SinkMetrics(CollectorRegistry registry) {
        Counter messages = Metric.SINK_MESSAGES.counter(registry);
        accepted = messages.labels("accepted");
        refused = messages.labels("refused");
        lost = messages.labels("lost");
        dropped = Metric.SINK_DROPPED_EVENTS.counter(registry);
        writeFailures = Metric.SINK_WRITE_FAILURES.counter(registry);
        register(registry);
    }

    void accepted(int messages) {
        accepted.inc(messages);
    }

    void refused(int messages) {
        refused.inc(messages);
    }

    void lost(int messages) {
        lost.inc(messages);
    }

    void dropped(int events) {
        dropped.inc(events);
    }

    void writeFailed() {
        writeFailures.inc();
    }

    void queue(IntSupplier depth, int capacity) {
        queue = new Queue(depth, capacity);
    }

    void waiting(IntSupplier peers) {
        waiting = peers;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Queue seen = queue;
        return List.of(
                Family.of(Metric.SINK_QUEUE_EVENTS, seen.depth.getAsInt()),
                Family.of(Metric.SINK_QUEUE_LIMIT, seen.capacity),
                Family.of(Metric.SINK_WAITING_PEERS, waiting.getAsInt()));
    }
}
