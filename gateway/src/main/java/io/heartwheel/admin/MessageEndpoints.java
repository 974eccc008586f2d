package io.heartwheel.admin;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.net.HttpError;
import io.heartwheel.protocol.Utf8;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.sink.JsonRules;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/** Endpoint of messages to devices. Any thread. */
final class MessageEndpoints {
    static final Parameter<Push.Ack> ACK = Parameter.choice(
                    "ack",
                    Arrays.stream(Push.Ack.values()).map(Push.Ack::label).toList(),
                    "what is waited for; by default sent, with reply device")
            .as(MessageEndpoints::ack);
    private static final Parameter<Duration> TIMEOUT = Parameter.duration(
            "timeout",
            Duration.ofMillis(1),
            PushSettings.MAX_TIMEOUT,
            "how long is waited, by default " + PushSettings.TIMEOUT.toSeconds() + "s");
    private static final Parameter<Boolean> REPLY = Parameter.choice(
                    "reply", List.of("0", "1"), "1: waits for the device's message with the same id too")
            .as("1"::equals);
    private static final Parameter<Long> MESSAGE_ID = Parameter.unsigned(
            "id", "the message id; without it the gateway takes one of its own. 0 only with ack = sent or received");
    private static final Parameter<String> IDEMPOTENCY_KEY = Parameter.text(
            "Idempotency-Key",
            "[!-~]{1,128}",
            "1..128 visible characters of ASCII",
            "all requests with one key are one message, and get one answer",
            "order-4711");

    /** A message in a body. */
    static final Route.Body PAYLOAD = new Route.Body(
            List.of("text/plain", "application/json", "application/octet-stream"),
            "the payload: a text if Content-Type is text/* or application/json, else bytes",
            null);

    private static final String OUTCOME = "outcome";

    private final Pushes pushes;
    private final IntSupplier maxPayloadBytes;

    MessageEndpoints(Pushes pushes, IntSupplier maxPayloadBytes) {
        this.pushes = pushes;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    List<Route> routes() {
        Schema reply = Schema.object(Schema.maybe("text", Schema.TEXT), Schema.maybe("base64", Schema.TEXT));
        return List.of(Route.post(
                        "/v1/devices/{device_id}/messages", "Sends the body to the device, as one DATA.", this::push)
                .scope(Scope.SEND)
                .takes(ACK, TIMEOUT, REPLY, MESSAGE_ID)
                .takesHeader(IDEMPOTENCY_KEY)
                .withBody(PAYLOAD)
                .answers(
                        200,
                        "the device has it, as surely as was asked for",
                        answer(Schema.maybe("reply", reply), Outcome.RECEIVED, Outcome.ACKNOWLEDGED, Outcome.REPLIED))
                .answers(
                        202,
                        "sent: written to its connection; whether it arrived, only the device can say",
                        answer(Schema.maybe("reply", reply), Outcome.SENT))
                .refuses(404, "offline: not connected", outcomes(Outcome.OFFLINE))
                .refuses(
                        409,
                        "cannot_acknowledge: its protocol has no ACK; id_in_use: one with this id waits",
                        outcomes(Outcome.CANNOT_ACKNOWLEDGE, Outcome.ID_IN_USE))
                .refuses(413, "too_large: more than protocol.max-payload or admin.max-body")
                .refuses(415, "unsupported_charset: a text that is not UTF-8")
                .refuses(422, "key_reused: the key came with another message before", outcomes(Outcome.KEY_REUSED))
                .refuses(
                        429,
                        "full: too much waits for the device, or for all; or too many wrong tokens",
                        Schema.problem(Schema.maybe(OUTCOME, Schema.oneOf(Outcome.FULL.label()))))
                .refuses(503, "busy: it does not read what was sent before", outcomes(Outcome.BUSY))
                .refuses(
                        504,
                        "expired: not acknowledged in time, the device may have it; unknown: its loop did not answer",
                        Schema.problem(
                                Schema.field(OUTCOME, labels(Outcome.EXPIRED, Outcome.UNKNOWN)),
                                Schema.field("id", Schema.ID))));
    }

    private static Schema answer(Schema.Field more, Outcome... outcomes) {
        return Schema.object(DeviceEndpoints.IDENTITY + "id:id", Schema.field(OUTCOME, labels(outcomes)), more);
    }

    private static Schema outcomes(Outcome... outcomes) {
        return Schema.problem(Schema.field(OUTCOME, labels(outcomes)));
    }

    private static Schema labels(Outcome... outcomes) {
        return Schema.oneOf(outcomes, Outcome::label);
    }

    private static Push.Ack ack(String label) {
        return Arrays.stream(Push.Ack.values())
                .filter(ack -> ack.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    // ------------------------------------------------------------------ asking

    CompletionStage<Response> push(Request call) {
        Push push = read(call);
        Optional<String> key = IDEMPOTENCY_KEY.inHeader(call);
        CompletionStage<PushResult> result = key.isEmpty()
                ? pushes.send(push)
                : pushes.keys().once(key.get(), fingerprint(push, call), push.id(), () -> pushes.send(push));
        return result.thenApply(MessageEndpoints::response);
    }

    /**
     * The message in the body.
     *
     * @throws HttpError if it is too large, or a text that is none
     */
    static byte[] payload(Request call, int mostBytes) {
        byte[] payload = call.body();
        if (payload.length > mostBytes) {
            throw new HttpError(413, "too_large", "payload of " + payload.length + " bytes: need at most " + mostBytes);
        }
        if (call.isText() && !Utf8.isWellFormed(Unpooled.wrappedBuffer(payload), 0, payload.length)) {
            throw HttpError.badRequest("body: a text must be UTF-8");
        }
        return payload;
    }

    private Push read(Request call) {
        byte[] payload = payload(call, maxPayloadBytes.getAsInt());
        boolean text = call.isText();
        boolean reply = REPLY.in(call).orElse(false);
        Push.Ack ack = ACK.in(call).orElse(reply ? Push.Ack.DEVICE : Push.Ack.SENT);
        if (reply && ack != Push.Ack.DEVICE) {
            throw HttpError.badRequest("ack = " + ack.label() + ": need device with reply = 1");
        }
        long id = MESSAGE_ID.in(call).orElseGet(pushes::nextId);
        if (id == 0 && ack == Push.Ack.DEVICE) {
            throw HttpError.badRequest("id = 0: need 1 or more with ack = device");
        }
        Duration timeout = TIMEOUT.in(call).orElse(PushSettings.TIMEOUT);
        return new Push(DeviceEndpoints.deviceId(call), id, text, payload, ack, reply, timeout.toNanos(), false);
    }

    /** Of what makes a message that message; how long it is waited for does not. */
    private static byte[] fingerprint(Push push, Request call) {
        String rest = push.ack().label()
                + ' '
                + push.reply()
                + ' '
                + push.text()
                + ' '
                + MESSAGE_ID.in(call).map(Long::toUnsignedString).orElse("")
                + ' '
                + push.deviceId();
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(rest.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0); // in no device id
            return digest.digest(push.payload());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("each JDK has it", e);
        }
    }

    // ------------------------------------------------------------------ answering

    private static Response response(PushResult result) {
        ConnectionEvent.Identity to = result.to();
        if (to == null) {
            return refusal(result);
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put(OUTCOME, result.outcome().label());
        view.put("device", to.deviceId());
        view.put("session", to.sessionId());
        view.put("epoch", to.epoch());
        view.put("id", number(result.messageId()));
        PushResult.Reply reply = result.reply();
        if (reply != null) {
            view.put(
                    "reply",
                    reply.text()
                            ? Map.of("text", new String(reply.payload(), StandardCharsets.UTF_8))
                            : Map.of("base64", Base64.getEncoder().encodeToString(reply.payload())));
        }
        return Response.json(result.outcome() == Outcome.SENT ? 202 : 200, view);
    }

    private static Response refusal(PushResult result) {
        String outcome = result.outcome().label();
        Map<String, Object> more = new LinkedHashMap<>();
        more.put(OUTCOME, outcome);
        if (status(result.outcome()) == 504) {
            more.put("id", number(result.messageId()));
        }
        Response refusal = Response.error(status(result.outcome()), outcome, result.detail(), more);
        boolean later = result.outcome() == Outcome.FULL || result.outcome() == Outcome.BUSY;
        return later ? refusal.retrySoon() : refusal;
    }

    private static int status(Outcome refused) {
        return switch (refused) {
            case OFFLINE -> 404;
            case CANNOT_ACKNOWLEDGE, ID_IN_USE -> 409;
            case KEY_REUSED -> 422;
            case FULL -> 429;
            case BUSY -> 503;
            case EXPIRED, UNKNOWN -> 504;
            default -> throw new AssertionError(refused);
        };
    }

    /** A number, or a string where that is too large for JSON. */
    static Object number(long id) {
        return JsonRules.isNumber(id) ? id : Long.toUnsignedString(id);
    }
}
