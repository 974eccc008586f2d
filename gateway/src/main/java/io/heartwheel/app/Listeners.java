package io.heartwheel.app;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.transport.DeviceTransport;
import java.io.IOException;

/** The listeners and the connections behind them, as the drain sees them. Used by the drain thread. */
record Listeners(DeviceTransport transport, SessionRegistry registry) implements Drainer.ListenerControl {
    private static final String WHY = "the gateway is going down";

    @Override
    public void shut() {
        transport.stopListening();
        transport.closeHandshakes(CloseReason.SHUTDOWN, WHY);
    }

    @Override
    public void open() throws IOException {
        transport.listenAgain();
    }

    /** Closes every connection: one is in the registry, or in a handshake. */
    void closeAll() {
        transport.closeHandshakes(CloseReason.SHUTDOWN, WHY);
        registry.forEach(session -> session.closeSoon(CloseReason.SHUTDOWN, WHY));
    }
}
