package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;

/** Takes every fact and forgets it. Any thread; costs nothing. */
public final class NoneSink implements EventSink {
    private final SinkObserver observer;

    /** A sink that counts and does nothing else. */
    public NoneSink(SinkObserver observer) {
        this.observer = observer;
    }

    @Override
    public void publish(ConnectionEvent event) {}

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        reply.accepted();
        observer.accepted(1);
    }

    @Override
    public void close() {}
}
