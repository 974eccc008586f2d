package io.heartwheel.log;

import ch.qos.logback.classic.Level;

/** Level from which on lines are logged, from the most to nothing. */
public enum LogLevel {
    /** Everything. */
    TRACE,
    /** The life of each connection. */
    DEBUG,
    /** The life of the process. */
    INFO,
    /** What an operator can act on. */
    WARN,
    /** Broken invariants. */
    ERROR,
    /** Nothing. */
    OFF;

    /** Logback's level of the same name. */
    Level level() {
        return Level.valueOf(name());
    }
}
