package io.heartwheel.log;

/** Form of a line of the log. */
public enum LogFormat {
    /** For eyes: time, level, logger, message. */
    TEXT,
    /** For collectors: one JSON object. */
    JSON
}
