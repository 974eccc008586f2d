package io.heartwheel.presence;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A sink that keeps all it is given, and devices whose events go there. One thread. */
final class Published implements EventSink {
    final List<Fact> facts = new ArrayList<>();
    /** Sees each as it comes. */
    Consumer<Fact> listener = fact -> {};

    @Override
    public void publish(Fact fact) {
        facts.add(fact);
        listener.accept(fact);
    }

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        publish(message);
        reply.accepted();
    }

    @Override
    public void close() {}

    /** Those of a kind. */
    <T extends Fact> List<T> all(Class<T> kind) {
        return Stream.of(facts.toArray(new Fact[0]))
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /** A device that is welcome. */
    FakeSession device(VirtualGateway gateway, long sessionId, String id, Executor loop) {
        SessionContext here = FakeSession.publishingTo(this, gateway.sessionContext);
        return new FakeSession(here, "heartwheel", "192.0.2.1:40000", loop)
                .accept(sessionId)
                .hello(id, "acme-fw/2.1");
    }
}
