package io.heartwheel.metrics;

import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.LoopStats;
import io.prometheus.client.Collector;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** What the event loops count for themselves, read when the page is asked for. Any thread. */
final class LoopMetrics extends Collector {
    private static final String NO_TYPE = "other";
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<LoopStats> loops;
    private final IntUnaryOperator pendingTasks;
    private final LongSupplier nanoClock;

    /**
     * Asks the loops nothing: one that is stuck is shown as well.
     *
     * @param pendingTasks of the loop of an index
     * @param nanoClock the loops' clock
     */
    LoopMetrics(List<LoopStats> loops, IntUnaryOperator pendingTasks, LongSupplier nanoClock) {
        this.loops = List.copyOf(loops);
        this.pendingTasks = pendingTasks;
        this.nanoClock = nanoClock;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Family lag = new Family(Metric.LOOP_LAG_SECONDS);
        Family lagMax = new Family(Metric.LOOP_LAG_MAX_SECONDS);
        Family pending = new Family(Metric.LOOP_PENDING_TASKS);
        long nowNanos = nanoClock.getAsLong();
        for (int i = 0; i < loops.size(); i++) {
            String loop = Integer.toString(i);
            lag.add(loops.get(i).lagNanos(nowNanos) / NANOS_PER_SECOND, loop);
            lagMax.add(loops.get(i).maxLagNanos(nowNanos) / NANOS_PER_SECOND, loop);
            pending.add(pendingTasks.applyAsInt(i), loop);
        }
        return List.of(
                framesReceived(),
                framesSent(),
                Family.of(Metric.RECEIVED_BYTES, sum(LoopStats::bytesIn)),
                Family.of(Metric.SENT_BYTES, sum(LoopStats::bytesOut)),
                Family.of(Metric.UNFINISHED_BYTES, sum(LoopStats::unfinishedBytes)),
                lag.samples(),
                lagMax.samples(),
                pending.samples());
    }

    private MetricFamilySamples framesReceived() {
        Family family = new Family(Metric.FRAMES_RECEIVED).add(sum(stats -> stats.framesIn(0)), NO_TYPE);
        for (int type = FrameType.HELLO; FrameType.isKnown(type); type++) {
            int counted = type;
            family.add(sum(stats -> stats.framesIn(counted)), label(type));
        }
        return family.samples();
    }

    private MetricFamilySamples framesSent() {
        Family family = new Family(Metric.FRAMES_SENT).add(sum(stats -> stats.framesOut(0)), NO_TYPE);
        for (int type = FrameType.HELLO; FrameType.isKnown(type); type++) {
            int counted = type;
            family.add(sum(stats -> stats.framesOut(counted)), label(type));
        }
        return family.samples();
    }

    private static String label(int type) {
        return FrameType.name(type).toLowerCase(Locale.ROOT);
    }

    private double sum(ToLongFunction<LoopStats> count) {
        return loops.stream().mapToLong(count).sum();
    }
}
