package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.net.HttpError;
import io.heartwheel.session.Session;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Endpoints that explain closes, past and possible. Any thread; an open connection is asked on its own loop ({@link SessionCall}). */
final class CloseEndpoints {
    private static final int CLOSED_TOLD = 10;

    private final AdminPorts ports;
    private final Duration patience;

    CloseEndpoints(AdminPorts ports) {
        this(ports, DeviceEndpoints.PATIENCE);
    }

    CloseEndpoints(AdminPorts ports, Duration patience) {
        this.ports = ports;
        this.patience = patience;
    }

    // ------------------------------------------------------------------ one device

    CompletionStage<Response> why(Request call) {
        String deviceId = DeviceEndpoints.deviceId(call);
        Response unknown = Response.json(504, Map.of("outcome", "unknown"));
        // what is remembered is searched on another thread: this may be the device's loop
        return new SessionCall<Optional<Evidence>>(
                        ports.registry(), deviceId, CloseEndpoints::asItStands, Optional.empty())
                .go()
                .thenApplyAsync(open -> why(deviceId, open.orElse(null)))
                .completeOnTimeout(unknown, patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Optional<Evidence> asItStands(Session session) {
        return Optional.of(session.evidence());
    }

    private Response why(String deviceId, @Nullable Evidence open) {
        List<Evidence> closed = ports.diagnostics().closes().ofDevice(deviceId, CLOSED_TOLD);
        List<Evidence> refused = ports.diagnostics().closes().claiming(deviceId, CLOSED_TOLD);
        if (open == null && closed.isEmpty() && refused.isEmpty()) {
            return Response.error(404, "unknown_device", "it is not connected, and no close of it is remembered");
        }
        ObjectNode told = Response.tree(open == null ? notConnected(deviceId, closed, refused) : open);
        told.set("closed", Response.array(closed));
        told.set("refused", Response.array(refused));
        return Response.json(told);
    }

    /** What was refused may be a stranger's doing: it makes the headline only where there is nothing else to tell. */
    private static Map<String, Object> notConnected(String deviceId, List<Evidence> closed, List<Evidence> refused) {
        Map<String, Object> told = new LinkedHashMap<>();
        Evidence latest = closed.isEmpty() ? refused.get(0) : closed.get(0);
        String since = closed.isEmpty()
                ? "not connected, and no close of it is remembered; who claimed to be it was refused at "
                : "not connected since ";
        told.put("text", since + Instant.ofEpochMilli(latest.atEpochMillis()) + ": " + latest.text());
        told.put("device", deviceId);
        told.put("open", false);
        return told;
    }

    // ------------------------------------------------------------------ all

    CompletionStage<Response> list(Request call) {
        boolean handshakes = call.flag("handshakes");
        Predicate<Evidence> wanted = wanted(reason(call), since(call));
        Long cursor = call.cursor();
        RecentCloses.Page page = ports.diagnostics()
                .closes()
                .page(handshakes, wanted, cursor == null ? Long.MAX_VALUE : cursor, call.limit());
        return Response.page("closed", page.closes(), page.next()).now();
    }

    private static Predicate<Evidence> wanted(@Nullable CloseReason reason, long sinceEpochMillis) {
        return close -> close.atEpochMillis() >= sinceEpochMillis && (reason == null || reason == close.reason());
    }

    private static @Nullable CloseReason reason(Request call) {
        String label = call.parameter("reason");
        if (label == null) {
            return null;
        }
        try {
            return CloseReason.ofLabel(label);
        } catch (IllegalArgumentException unknown) {
            throw HttpError.badRequest("reason = " + HttpError.quote(label) + ": need one of "
                    + CloseReason.all().stream().map(CloseReason::label).toList());
        }
    }

    /** Milliseconds since 1970, or ISO 8601 with an offset. */
    private static long since(Request call) {
        String text = call.parameter("since");
        if (text == null) {
            return Long.MIN_VALUE;
        }
        if (text.matches("[0-9]{1,15}")) {
            return Long.parseLong(text);
        }
        try {
            // a plus is a space in a query
            return OffsetDateTime.parse(text.replace(' ', '+')).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException notATime) {
            throw HttpError.badRequest("since = " + HttpError.quote(text)
                    + ": need milliseconds since 1970 or a time like 2026-01-01T00:00:00Z");
        }
    }
}
