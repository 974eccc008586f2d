package io.heartwheel.app;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.Session;
import io.heartwheel.transport.DeviceTransport;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.util.function.Predicate;

/** The listeners, and whoever came in and has not said who it is. Used by the drain thread. */
final class Listeners implements Drainer.ListenerControl {
    private final DeviceTransport transport;
    private final TimingWheel wheel;

    Listeners(DeviceTransport transport, TimingWheel wheel) {
        this.transport = transport;
        this.wheel = wheel;
    }

    @Override
    public void shut() {
        transport.stopListening();
        closeAll(wheel, session -> !session.isEstablished());
    }

    @Override
    public void open() throws IOException {
        transport.listenAgain();
    }

    /** Closes connections, also those that are in no directory: each has its entry in the wheel. Any thread. */
    static void closeAll(TimingWheel wheel, Predicate<Session> which) {
        wheel.forEach(entry -> {
            if (entry instanceof Session session && which.test(session)) {
                session.closeSoon(CloseReason.SHUTDOWN, "the gateway is going down");
            }
        });
    }
}
