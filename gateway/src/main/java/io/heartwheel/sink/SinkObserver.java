package io.heartwheel.sink;

import java.util.function.IntSupplier;

/**
 * Observer of what becomes of the facts that leave. Called on event loops and on the sink's own thread: never blocks, never throws.
 *
 * <p>A message is in the end accepted, refused, or lost if its sender cannot be told. The other events have nobody to tell: they are written or dropped.
 */
public interface SinkObserver {
    /** So many messages were accepted: what they are handed to has them. */
    default void accepted(int messages) {}

    /** So many messages were refused: their senders may send them again. */
    default void refused(int messages) {}

    /** So many messages were lost: refused, and their senders cannot be told. */
    default void lost(int messages) {}

    /** So many connection events were lost. */
    default void dropped(int events) {}

    /** One attempt to write failed, whatever the number of events in it. */
    default void writeFailed() {}

    /**
     * The journal has committed events.
     *
     * @param nanos so long it took, the disk included
     */
    default void committed(long nanos) {}

    /**
     * Called once, when a sink with a queue begins.
     *
     * @param depth events that wait now; any thread may ask at any time
     * @param capacity most events that may wait
     */
    default void queue(IntSupplier depth, int capacity) {}

    /**
     * Called once, when a sink with a queue begins.
     *
     * @param peers who are not read now because the queue is full; any thread may ask at any time
     */
    default void waiting(IntSupplier peers) {}
}
