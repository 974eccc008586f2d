package io.heartwheel.event;

/** Sink that forgets all, and answers nobody. For tests and benchmarks; any thread. */
public final class ForgetfulSink implements EventSink {
    @Override
    public void publish(Fact event) {}

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {}

    @Override
    public void close() {}
}
