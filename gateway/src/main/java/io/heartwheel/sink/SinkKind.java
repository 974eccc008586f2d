package io.heartwheel.sink;

/** Kind of a sink: {@code sink.kind}. Immutable; any thread. */
public enum SinkKind {
    /** Nowhere: taken and forgotten. */
    NONE,
    /** Standard output, JSON Lines. */
    CONSOLE,
    /** A file, JSON Lines. */
    FILE,
    /** Messages go back to their sender; for development. */
    ECHO,
    /** The journal, from which the outlets take them. */
    JOURNAL
}
