package io.heartwheel.sink;

/** Observer of what becomes of the lines of the liveness trace. Called on event loops and on the writer's thread: never blocks, never throws. */
public interface TraceObserver extends SinkObserver {
    /** The operating system has so many lines more. */
    default void written(int lines, int bytes) {}

    /** So many lines were not written, because the file is as large as it may be. */
    default void beyond(int lines) {}
}
