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
import io.netty.handler.codec.http.HttpResponseStatus;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Endpoints of devices. Any thread; a connection is acted on on its own loop ({@link SessionCall}). */
final class DeviceEndpoints {
    /** A device loop that has not come to an errand by then is stuck. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,20}");
    private static final BigInteger MAX_ID = BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private final AdminPorts ports;
    private final Duration patience;
    /** Ids of messages that come without one: from the clock on, so that they differ after a restart. */
    private final AtomicLong lastMessageId = new AtomicLong(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));

    private record Page(List<DeviceView> devices, @Nullable String next) {}

    /**
     * What became of a push.
     *
     * @param outcome {@code sent}: handed to the device's connection; whether it arrived, only the device can say
     * @param id a number, or a string beyond 2^53 - 1
     */
    private record Sent(String outcome, String device, long session, long epoch, Object id) {}

    DeviceEndpoints(AdminPorts ports) {
        this(ports, PATIENCE);
    }

    DeviceEndpoints(AdminPorts ports, Duration patience) {
        this.ports = ports;
        this.patience = patience;
    }

    // ------------------------------------------------------------------ looking

    CompletionStage<Response> list(Request call) {
        SessionRegistry.Page page = ports.registry().page(Paging.cursor(call), Paging.limit(call));
        long nowNanos = ports.nanoClock().getAsLong();
        List<DeviceView> devices = page.sessions().stream()
                .filter(Session::isEstablished)
                .map(session -> DeviceView.of(session, nowNanos))
                .toList();
        Long next = page.next();
        return now(Response.json(HttpResponseStatus.OK, new Page(devices, Paging.text(next))));
    }

    CompletionStage<Response> show(Request call) {
        Session session = ports.registry().find(deviceId(call));
        if (session == null || !session.isEstablished()) {
            return now(offline());
        }
        return now(Response.json(
                HttpResponseStatus.OK, DeviceView.of(session, ports.nanoClock().getAsLong())));
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
        boolean text = ContentType.of(call).isText();
        if (text && !Utf8.isWellFormed(Unpooled.wrappedBuffer(payload), 0, payload.length)) {
            throw HttpError.badRequest("body: a text must be UTF-8");
        }
        long id = messageId(call);
        Response offline = Response.json(HttpResponseStatus.NOT_FOUND, Map.of("outcome", "offline"));
        return send(deviceId(call), offline, session -> push(session, id, text, payload));
    }

    private static Response push(Session session, long id, boolean text, byte[] payload) {
        if (!session.sendData(id, text, payload)) {
            return Response.json(HttpResponseStatus.SERVICE_UNAVAILABLE, Map.of("outcome", "busy"))
                    .retrySoon();
        }
        return Response.json(
                HttpResponseStatus.ACCEPTED,
                new Sent("sent", session.deviceId(), session.sessionId(), session.epoch(), told(id)));
    }

    private static Object told(long id) {
        return JsonRules.isNumber(id) ? id : Long.toUnsignedString(id);
    }

    private CompletionStage<Response> send(String deviceId, Response offline, Function<Session, Response> act) {
        Response unknown = Response.json(HttpResponseStatus.GATEWAY_TIMEOUT, Map.of("outcome", "unknown"));
        return new SessionCall<>(ports.registry(), deviceId, act, offline)
                .go()
                .completeOnTimeout(unknown, patience.toMillis(), TimeUnit.MILLISECONDS);
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
        return Response.error(HttpResponseStatus.NOT_FOUND, "offline", "the device is not connected");
    }

    private static CompletionStage<Response> now(Response answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
