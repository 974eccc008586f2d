package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;

/** Sends each message back to its sender, with the same id and kind, and then accepts it; forgets the other events. Any thread. */
public final class EchoSink implements EventSink {
    private final SinkObserver observer;

    /** A sink that counts what it sends back. */
    public EchoSink(SinkObserver observer) {
        this.observer = observer;
    }

    @Override
    public void publish(ConnectionEvent event) {}

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        reply.send(message.messageId(), message.text(), message.payload());
        reply.accepted();
        observer.accepted(1);
    }

    @Override
    public void close() {}
}
