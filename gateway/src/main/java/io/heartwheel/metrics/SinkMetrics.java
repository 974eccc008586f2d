package io.heartwheel.metrics;

import io.heartwheel.sink.SinkObserver;
import io.heartwheel.sink.TraceObserver;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.function.IntSupplier;

/** Counters of the sink and of the liveness trace. Written by event loops and the writers' threads, read by any. */
final class SinkMetrics implements SinkObserver {
    private final Counter.Child[] messages;
    private final Counter dropped;
    private final Counter writeFailures;
    private final Histogram commits;
    private final TraceObserver trace;

    private record Queue(IntSupplier depth, int capacity) {}

    private volatile Queue queue = new Queue(() -> 0, 0);
    private volatile IntSupplier waiting = () -> 0;

    SinkMetrics(CollectorRegistry registry, Readings readings) {
        messages = Metric.SINK_MESSAGES.counters(registry, List.of("accepted", "refused", "lost"));
        dropped = Metric.SINK_DROPPED_EVENTS.counter(registry);
        writeFailures = Metric.SINK_WRITE_FAILURES.counter(registry);
        commits = Metric.JOURNAL_COMMIT_SECONDS.histogram(registry);
        trace = new Trace(registry, readings);
        readings.add(Metric.SINK_QUEUE_EVENTS, () -> queue.depth.getAsInt())
                .add(Metric.SINK_QUEUE_LIMIT, () -> queue.capacity)
                .add(Metric.SINK_WAITING_PEERS, () -> waiting.getAsInt());
    }

    /** Counters of the trace. */
    TraceObserver trace() {
        return trace;
    }

    @Override
    public void accepted(int count) {
        messages[0].inc(count);
    }

    @Override
    public void refused(int count) {
        messages[1].inc(count);
    }

    @Override
    public void lost(int count) {
        messages[2].inc(count);
    }

    @Override
    public void dropped(int events) {
        dropped.inc(events);
    }

    @Override
    public void writeFailed() {
        writeFailures.inc();
    }

    @Override
    public void committed(long nanos) {
        commits.observe(nanos / 1e9);
    }

    @Override
    public void queue(IntSupplier depth, int capacity) {
        queue = new Queue(depth, capacity);
    }

    @Override
    public void waiting(IntSupplier peers) {
        waiting = peers;
    }

    private static final class Trace implements TraceObserver {
        private final Counter.Child[] lines;
        private final Counter bytes;
        private final Counter failures;
        private volatile IntSupplier depth = () -> 0;

        Trace(CollectorRegistry registry, Readings readings) {
            lines = Metric.TRACE_LINES.counters(registry, List.of("written", "dropped", "beyond"));
            bytes = Metric.TRACE_WRITTEN_BYTES.counter(registry);
            failures = Metric.TRACE_WRITE_FAILURES.counter(registry);
            readings.add(Metric.TRACE_QUEUE_LINES, () -> depth.getAsInt());
        }

        @Override
        public void written(int count, int moreBytes) {
            lines[0].inc(count);
            bytes.inc(moreBytes);
        }

        @Override
        public void dropped(int count) {
            lines[1].inc(count);
        }

        @Override
        public void beyond(int count) {
            lines[2].inc(count);
        }

        @Override
        public void writeFailed() {
            failures.inc();
        }

        @Override
        public void queue(IntSupplier waiting, int capacity) {
            depth = waiting;
        }
    }
}
