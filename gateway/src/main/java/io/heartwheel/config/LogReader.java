package io.heartwheel.config;

import io.heartwheel.log.LogFormat;
import io.heartwheel.log.LogLevel;
import io.heartwheel.log.LogSettings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Reads what the log looks like. One thread, once. */
final class LogReader {
    private static final String[] LEVELS = {"trace", "debug", "info", "warn", "error", "off"};

    private LogReader() {}

    /** @param loggers names of those that have a level of their own */
    static Supplier<LogSettings> read(Section section, List<String> loggers) {
        LogFormat format = section.choice("format", LogFormat.class, "text", "json");
        LogLevel level = section.choice("level", LogLevel.class, LEVELS);
        int repeatLimiter = section.integer("repeats", LogSettings.MIN_REPEATS + ".." + LogSettings.MAX_REPEATS);
        Section own = section.in("levels");
        Map<String, LogLevel> levels = new TreeMap<>();
        for (String logger : loggers) {
            if (LogSettings.isLogger(logger)) {
                own.choiceWithoutDefault(logger, LogLevel.class, LEVELS).ifPresent(known -> levels.put(logger, known));
            } else {
                own.problem(logger, "need the name of a class or a package before it, for all of them log.level");
            }
        }
        return () -> new LogSettings(format, level, levels, repeatLimiter);
    }
}
