package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;

/**
 * Sink without a queue: accepts each message at once, if it echoes after sending it back to its sender with the same id and kind, and forgets all
 * else. Any thread.
 *
 * @param echoes whether a message goes back
 * @param observer counts what is accepted
 */
record DirectSink(boolean echoes, SinkObserver observer) implements EventSink {
    @Override
    public void publish(Fact fact) {}

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        if (echoes) {
            reply.send(message.messageId(), message.text(), message.payload());
        }
        reply.accepted();
        observer.accepted(1);
    }

    @Override
    public void close() {}
}
