package io.heartwheel.admin;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.HttpError;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.Utf8;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.sink.JsonRules;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Endpoints of devices. Any thread; a connection is acted on on its own loop ({@link SessionCall}). */
final class DeviceEndpoints {
    /** A device loop that has not come to an errand by then is stuck. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,20}");
    private static final BigInteger MAX_ID = BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private final AdminPorts ports;
    /** Ids of messages that come without one: from the clock on, so that they differ after a restart. */
    private final AtomicLong lastMessageId = new AtomicLong(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));

    DeviceEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    // ------------------------------------------------------------------ looking

    CompletionStage<Response> list(Request call) {
        SessionRegistry.Page page = ports.registry().page(call.cursor(), call.limit());
        long nowNanos = ports.nanoClock().getAsLong();
        List<Map<String, Object>> devices = page.sessions().stream()
                .filter(Session::isEstablished)
                .map(session -> view(session, nowNanos))
                .toList();
        return Response.page("devices", devices, page.next()).now();
    }

    CompletionStage<Response> show(Request call) {
        Session session = ports.registry().find(deviceId(call));
        return session == null || !session.isEstablished()
                ? offline().now()
                : Response.json(view(session, ports.nanoClock().getAsLong())).now();
    }

    /** A device's connection, at one moment. */
    private static Map<String, Object> view(Session session, long nowNanos) {
        Map<String, Object> view = new LinkedHashMap<>();
        putIdentity(session, view);
        view.put("protocol", session.protocolName());
        view.put("remote", session.remote());
        if (!session.via().isEmpty()) {
            view.put("via", session.via());
        }
        view.put("client", session.clientName());
        view.put("state", session.state().name().toLowerCase(Locale.ROOT));
        view.put("interval_ms", session.intervalMillis());
        view.put("connected_for_ms", millisBetween(session.openedNanos(), nowNanos));
        view.put("last_frame_in_ms_ago", millisBetween(session.lastFrameInNanos(), nowNanos));
        return view;
    }

    private static void putIdentity(Session session, Map<String, Object> view) {
        view.put("device", session.deviceId());
        view.put("session", session.sessionId());
        view.put("epoch", session.epoch());
    }

    /** A frame may come in after now was read. */
    private static long millisBetween(long thenNanos, long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - thenNanos));
    }

    // ------------------------------------------------------------------ acting

    CompletionStage<Response> close(Request call) {
        String given = call.parameter("reason");
        String text = given == null ? "closed by the operator" : given;
        if (text.getBytes(StandardCharsets.UTF_8).length > FrameType.MAX_CLOSE_TEXT_BYTES
                || text.chars().anyMatch(Character::isISOControl)) {
            throw HttpError.badRequest("reason: need at most " + FrameType.MAX_CLOSE_TEXT_BYTES
                    + " bytes of UTF-8 without control characters");
        }
        return send(deviceId(call), offline(), session -> {
            session.closeSoon(CloseReason.ADMIN_CLOSED, text);
            return Response.noContent();
        });
    }

    CompletionStage<Response> push(Request call) {
        byte[] payload = call.body();
        int most = ports.maxPayloadBytes().getAsInt();
        if (payload.length > most) {
            throw new HttpError(413, "too_large", "payload of " + payload.length + " bytes: need at most " + most);
        }
        boolean text = call.isText();
        if (text && !Utf8.isWellFormed(Unpooled.wrappedBuffer(payload), 0, payload.length)) {
            throw HttpError.badRequest("body: a text must be UTF-8");
        }
        long id = messageId(call);
        Response offline = Response.json(404, Map.of("outcome", "offline"));
        return send(deviceId(call), offline, session -> push(session, id, text, payload));
    }

    private static Response push(Session session, long id, boolean text, byte[] payload) {
        if (!session.sendData(id, text, payload)) {
            return Response.json(503, Map.of("outcome", "busy")).retrySoon();
        }
        Map<String, Object> sent = new LinkedHashMap<>();
        // handed to the device's connection; whether it arrived, only the device can say
        sent.put("outcome", "sent");
        putIdentity(session, sent);
        sent.put("id", JsonRules.isNumber(id) ? id : Long.toUnsignedString(id));
        return Response.json(202, sent);
    }

    private CompletionStage<Response> send(String deviceId, Response offline, Function<Session, Response> act) {
        Response unknown = Response.json(504, Map.of("outcome", "unknown"));
        return new SessionCall<>(ports.registry(), deviceId, act, offline)
                .go()
                .completeOnTimeout(unknown, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private long messageId(Request call) {
        String text = call.parameter("id");
        if (text == null) {
            return lastMessageId.incrementAndGet();
        }
        if (!DIGITS.matcher(text).matches() || new BigInteger(text).compareTo(MAX_ID) > 0) {
            throw HttpError.badRequest("id = " + HttpError.quote(text) + ": need 0.." + MAX_ID);
        }
        return Long.parseUnsignedLong(text);
    }

    /**
     * The second segment of the path.
     *
     * @throws HttpError if no device can have that id
     */
    static String deviceId(Request call) {
        String id = call.segment(2);
        ByteBuf bytes = Unpooled.wrappedBuffer(id.getBytes(StandardCharsets.UTF_8));
        try {
            DeviceIds.deviceId(bytes, 0, bytes.readableBytes());
            return id;
        } catch (ProtocolViolation violation) {
            throw HttpError.badRequest(violation.text());
        }
    }

    private static Response offline() {
        return Response.error(404, "offline", "the device is not connected");
    }
}
