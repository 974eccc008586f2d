package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Lines logged since start. Any thread. */
public final class LogCounts {
    private static final List<Level> LEVELS = List.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR);

    /** Those of this process: there is one log. */
    public static final LogCounts OF_PROCESS = new LogCounts();

    private final List<LongAdder> written =
            LEVELS.stream().map(level -> new LongAdder()).toList();
    private final LongAdder suppressed = new LongAdder();

    LogCounts() {}

    void written(Level level) {
        written.get(Math.max(0, LEVELS.indexOf(level))).increment();
    }

    void suppressed() {
        suppressed.increment();
    }

    /**
     * Lines written at this level.
     *
     * @param level not OFF
     */
    public long written(LogLevel level) {
        return written.get(LEVELS.indexOf(level.level())).sum();
    }

    /** Lines left out because there were too many of their kind. */
    public long suppressedLines() {
        return suppressed.sum();
    }
}
