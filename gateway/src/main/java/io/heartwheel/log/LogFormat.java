package io.heartwheel.log;

/** How a line of the log is written. */
public enum LogFormat {
    /** For eyes: time, level, logger, message. */
    TEXT,
    /** For collectors: one JSON object. */
    JSON
}
