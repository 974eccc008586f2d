package io.heartwheel.session;

import io.heartwheel.event.CloseReason;

/** Told of what is rare in a connection's life; frames are counted in {@link LoopStats}. Called on event loops: never blocks, never throws. */
public interface SessionObserver {
    /** Sees nothing. */
    SessionObserver NONE = new SessionObserver() {};

    /** A session was established. @param protocol {@code heartwheel}, {@code heartwheel.v1} or {@code plain} */
    default void established(String protocol) {}

    /**
     * A connection has ended: once for each connection.
     *
     * @param protocol as above, or {@code handshake} if it never was established
     * @param latenessNanos close decided minus deadline; negative if no deadline decided
     * @param silentNanos close decided minus last complete frame in
     */
    default void closed(
            String protocol, CloseReason reason, boolean established, long latenessNanos, long silentNanos) {}

    /** A silent device was asked. */
    default void probed() {}

    /** A sign of life was sent to keep the path open. */
    default void keptAlive() {}

    /** A connection took a device id from another one. */
    default void tookOver() {}

    /** The gateway stopped reading from a peer that does not drain. */
    default void readingPaused() {}

    /** A session was found due, and its frames lay unread in the socket: it lives. */
    default void reprieved() {}
}
