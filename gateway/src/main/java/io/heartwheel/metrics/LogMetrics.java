package io.heartwheel.metrics;

import io.heartwheel.log.LogCounts;
import io.heartwheel.log.LogLevel;
import io.prometheus.client.Collector;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** How much was logged, read when the page is asked for. Any thread. */
final class LogMetrics extends Collector {
    private static final Set<LogLevel> LEVELS = EnumSet.range(LogLevel.DEBUG, LogLevel.ERROR);

    private final LogCounts counts;

    LogMetrics(LogCounts counts) {
        this.counts = counts;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Family lines = new Family(Metric.LOG_LINES);
        for (LogLevel level : LEVELS) {
            lines.add(counts.written(level), level.name().toLowerCase(Locale.ROOT));
        }
        return List.of(lines.samples(), Family.of(Metric.LOG_SUPPRESSED_LINES, counts.suppressedLines()));
    }
}
