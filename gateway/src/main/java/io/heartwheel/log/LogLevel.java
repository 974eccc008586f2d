package io.heartwheel.log;

import ch.qos.logback.classic.Level;

/** From which weight on something is logged, from the most to nothing. */
public enum LogLevel {
    /** Everything. */
    TRACE(Level.TRACE),
    /** The life of each connection. */
    DEBUG(Level.DEBUG),
    /** The life of the process. */
    INFO(Level.INFO),
    /** What an operator can act on. */
    WARN(Level.WARN),
    /** Broken invariants. */
    ERROR(Level.ERROR),
    /** Nothing. */
    OFF(Level.OFF);

    private final Level level;

    LogLevel(Level level) {
        this.level = level;
    }

    Level level() {
        return level;
    }
}
