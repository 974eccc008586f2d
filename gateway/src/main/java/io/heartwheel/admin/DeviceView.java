package io.heartwheel.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.heartwheel.session.Session;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** JSON form of a device's connection, at one moment. */
@JsonPropertyOrder({"device", "session", "epoch"})
record DeviceView(
        String device,
        long session,
        long epoch,
        String protocol,
        String remote,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) String via,
        String client,
        String state,
        int intervalMs,
        long connectedForMs,
        long lastFrameInMsAgo) {

    /** Any thread. */
    static DeviceView of(Session session, long nowNanos) {
        return new DeviceView(
                session.deviceId(),
                session.sessionId(),
                session.epoch(),
                session.protocolName(),
                session.remote(),
                session.via(),
                session.clientName(),
                session.state().name().toLowerCase(Locale.ROOT),
                session.intervalMillis(),
                millisBetween(session.openedNanos(), nowNanos),
                millisBetween(session.lastFrameInNanos(), nowNanos));
    }

    /** A frame may come in after now was read. */
    private static long millisBetween(long thenNanos, long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - thenNanos));
    }
}
