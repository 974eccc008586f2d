package io.heartwheel.event;

import java.io.IOException;

/**
 * Where facts leave the gateway. Called on event loops: never blocks, never throws. A sink is bounded; what it cannot take it refuses
 * (messages) or counts (events).
 */
public interface EventSink extends AutoCloseable {

    /** Takes a {@link ConnectionEvent.Connected}, {@link ConnectionEvent.Disconnected} or {@link ConnectionEvent.Refused}. */
    void publish(ConnectionEvent event);

    /** Takes a report of the breaker. */
    default void publish(Incident incident) {}

    /** Takes a stretch of a traced connection's life. */
    default void publish(Stretch stretch) {}

    /**
     * Takes a device's message and answers through {@code reply} exactly once with {@link Reply#accepted()} or {@link Reply#refused()}, now or
     * later, on any thread. Accepted means that the sink has taken responsibility: a file sink has written it.
     */
    void publish(ConnectionEvent.Message message, Reply reply);

    /** Hands over what is queued, bounded in time, and lets go of resources. */
    @Override
    void close() throws IOException;

    /** The way back to the sender of a message. Any thread. */
    interface Reply {
        /** The sink has it. */
        void accepted();

        /** The sink does not have it and will not. */
        void refused();

        /** Sends a DATA to the same connection, if it still stands. */
        void send(long messageId, boolean text, byte[] payload);
    }
}
