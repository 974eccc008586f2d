package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Endpoints that explain closes, past and possible. Any thread; an open connection is asked on its own loop ({@link SessionCall}). */
final class CloseEndpoints {
    private static final int CLOSED_TOLD = 10;
    /** So many of the latest closes have to be alike. */
    private static final int HABIT = 3;

    private static final long LEAST_WATCHDOG_MILLIS = 10_000;
    /** Longer than a rival is told to stay away. */
    private static final long RIVAL_TOLD_MILLIS = TimeUnit.MINUTES.toMillis(2);

    private static final Parameter<CloseReason> REASON = Parameter.choice(
                    "reason", CloseReason.all().stream().map(CloseReason::label).toList(), "only those closed so")
            .as(CloseReason::ofLabel);
    private static final Parameter<Long> SINCE = since();
    private static final Parameter<Boolean> HANDSHAKES =
            Parameter.flag("handshakes", "those of connections that never were established, in place of the others");

    private final AdminPorts ports;
    private final Duration patience;

    CloseEndpoints(AdminPorts ports) {
        this(ports, SessionCall.PATIENCE);
    }

    CloseEndpoints(AdminPorts ports, Duration patience) {
        this.ports = ports;
        this.patience = patience;
    }

    List<Route> routes() {
        Schema closes = Schema.listOf(FactSchemas.EVIDENCE);
        Schema.Field[] lists = {
            Schema.maybe("hint", Schema.TEXT), Schema.field("closed", closes), Schema.field("refused", closes)
        };
        Schema open = FactSchemas.evidence(lists).named("OpenDevice");
        Schema gone = Schema.object("text:text device:text open:flag", lists).named("GoneDevice");
        return List.of(
                Route.get(
                                "/v1/devices/{device_id}/why",
                                "What would close it and when, why its latest connections ended, who was refused under its id.",
                                this::why)
                        .answers(200, "connected, or remembered", Schema.either(open, gone))
                        .reaches(Reach.LOOK.alsoLast())
                        .refuses(404, "unknown_device: neither connected nor remembered")
                        .refuses(503, Reach.NOT_REACHED)
                        .refuses(504, "unknown: its loop did not answer", DeviceEndpoints.outcome("unknown")),
                Route.get("/v1/closed", "The latest closes, newest first.", this::list)
                        .takes(REASON, SINCE, Parameter.LIMIT, Parameter.CURSOR, HANDSHAKES)
                        .answers(200, "a page", Schema.page("closed", FactSchemas.EVIDENCE)));
    }

    // ------------------------------------------------------------------ one device

    CompletionStage<Response> why(Request call) {
        String deviceId = DeviceEndpoints.deviceId(call);
        // what is remembered is searched on another thread: this may be the device's loop
        return new SessionCall<Optional<Evidence>>(
                        ports.registry(), deviceId, CloseEndpoints::asItStands, Optional.empty())
                .go()
                .thenApplyAsync(open -> why(deviceId, open.orElse(null)))
                .completeOnTimeout(DeviceEndpoints.UNKNOWN, patience.toMillis(), TimeUnit.MILLISECONDS);
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
        String hint = hint(closed);
        if (hint != null) {
            told.put("hint", hint);
        }
        Evidence rival = refused.isEmpty() ? null : refused.get(0);
        if (open != null && rival != null && isRival(rival, open.atEpochMillis())) {
            told.put("text", open.text() + "; " + rival.cause());
        }
        told.set("closed", Response.array(closed));
        told.set("refused", Response.array(refused));
        return Response.json(told);
    }

    /** Whether it was turned away a short while ago because it and others take the id from each other; it was admitted, so it is no stranger. */
    private static boolean isRival(Evidence refused, long nowEpochMillis) {
        return refused.reason() == CloseReason.ID_CONFLICT
                && nowEpochMillis - refused.atEpochMillis() < RIVAL_TOLD_MILLIS;
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

    /**
     * What would help a device that leaves again and again after it has heard nothing from us for the same time; null if the latest closes do not look so.
     *
     * @param closed newest first
     */
    private static @Nullable String hint(List<Evidence> closed) {
        List<Evidence> latest = closed.subList(0, Math.min(HABIT, closed.size()));
        LongSummaryStatistics silences = latest.stream()
                .filter(close -> close.reason() == CloseReason.PEER_CLOSED || close.reason() == CloseReason.PEER_RESET)
                .mapToLong(CloseEndpoints::unheardMillis)
                .summaryStatistics();
        long tolerance = Math.max(1_000, silences.getMax() / 10);
        if (silences.getCount() < HABIT
                || silences.getMin() < LEAST_WATCHDOG_MILLIS
                || silences.getMax() - silences.getMin() > tolerance) {
            return null;
        }
        boolean plain = latest.get(0).protocol().equals("plain");
        return "it left " + HABIT + " times in a row after it had heard nothing from the gateway for about "
                + Math.round(silences.getAverage() / 1_000) + " s, as a device's own watchdog does: with "
                + (plain ? "heartbeat.ping-every" : "writer-idle.timeout") + " below that it hears something in time";
    }

    /** For so long the gateway had sent it nothing. */
    private static long unheardMillis(Evidence close) {
        long saidMillisAgo = close.traffic().lastFrameOutMillisAgo();
        return saidMillisAgo == Evidence.NEVER ? close.openMillis() : saidMillisAgo;
    }

    // ------------------------------------------------------------------ all

    CompletionStage<Response> list(Request call) {
        Predicate<Evidence> wanted =
                wanted(REASON.in(call).orElse(null), SINCE.in(call).orElse(Long.MIN_VALUE));
        RecentCloses.Page page = ports.diagnostics()
                .closes()
                .page(
                        Parameter.flag(HANDSHAKES, call),
                        wanted,
                        Parameter.CURSOR.in(call).orElse(Long.MAX_VALUE),
                        Parameter.limit(call));
        return Response.page("closed", page.closes(), page.next()).now();
    }

    private static Predicate<Evidence> wanted(@Nullable CloseReason reason, long sinceEpochMillis) {
        return close -> close.atEpochMillis() >= sinceEpochMillis && (reason == null || reason == close.reason());
    }

    private static Parameter<Long> since() {
        return new Parameter<>(
                "since",
                "only those since then",
                "milliseconds since 1970 or a time like 2026-01-01T00:00:00Z",
                Schema.either(Schema.COUNT, Schema.TIME),
                CloseEndpoints::epochMillis);
    }

    /** Milliseconds since 1970, or ISO 8601 with an offset. */
    private static Optional<Long> epochMillis(String text) {
        if (text.matches("[0-9]{1,15}")) {
            return Optional.of(Long.parseLong(text));
        }
        try {
            // a plus is a space in a query
            return Optional.of(
                    OffsetDateTime.parse(text.replace(' ', '+')).toInstant().toEpochMilli());
        } catch (DateTimeException | ArithmeticException notATime) {
            return Optional.empty();
        }
    }
}
