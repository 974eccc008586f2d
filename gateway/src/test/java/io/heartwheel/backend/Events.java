package io.heartwheel.backend;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Message;
import java.nio.charset.StandardCharsets;

/** Events to send through sinks. */
final class Events {
    static final Identity DEVICE = new Identity("sensor/42", 7, 1_700_000_000_000_001L);
    static final long AT = 1_767_225_600_007L; // 2026-01-01T00:00:00.007Z

    private Events() {}

    static Message text(long id, String text) {
        return new Message(DEVICE, AT, id, true, text.getBytes(StandardCharsets.UTF_8));
    }

    static Message binary(long id, byte... payload) {
        return new Message(DEVICE, AT, id, false, payload);
    }

    static Connected connected(String clientName) {
        return new Connected(DEVICE, AT, "heartwheel", "10.0.0.1:5000", clientName, 60_000);
    }

    static Disconnected disconnected(CloseReason reason) {
        return new Disconnected(DEVICE, AT, reason, "silent for 90.0 s", 120_000, 90_000, 1.5);
    }
}
