package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.net.HttpError;
import io.heartwheel.protocol.Utf8;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.session.SessionCall;
import io.heartwheel.store.StoreException;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;

/** Endpoints of messages to devices. Any thread. */
final class MessageEndpoints {
    private static final Duration MOST_AGE = Duration.ofDays(30);
    /** In paths. */
    static final Parameter<Long> ID_OF_PATH = Parameter.unsigned("message_id", "of the message");

    static final Parameter<Push.Ack> ACK = Parameter.choice(
                    "ack",
                    Arrays.stream(Push.Ack.values()).map(Push.Ack::label).toList(),
                    "what is waited for; by default sent, with reply device")
            .as(MessageEndpoints::ack);
    private static final Parameter<Duration> TIMEOUT = Parameter.duration(
            "timeout",
            Duration.ofMillis(1),
            MOST_AGE,
            "how long is waited, by default " + PushSettings.TIMEOUT.toSeconds() + "s and at most "
                    + PushSettings.MAX_TIMEOUT.toSeconds()
                    + "s; with store = 1 how long it is kept, by default and at most messages.max-age");
    private static final Parameter<Boolean> REPLY = Parameter.choice(
                    "reply", List.of("0", "1"), "1: waits for the device's message with the same id too")
            .as("1"::equals);
    private static final Parameter<Boolean> STORE = Parameter.choice(
                    "store", List.of("0", "1"), "1: kept on the disk, also for a device that is away; not waited for")
            .as("1"::equals);
    private static final Parameter<Long> MESSAGE_ID = Parameter.unsigned(
            "id", "the message id; without it the gateway takes one of its own. 0 only with ack = sent or received");
    static final Parameter<String> IDEMPOTENCY_KEY = Parameter.text(
            Request.IDEMPOTENCY_KEY,
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
    private static final String NO_MESSAGE = "unknown_message: none with this id waits for the device";
    private static final String UNREADABLE = "unreadable: the disk cannot be read; " + Reach.NOT_REACHED;
    private static final String NO_ANSWER =
            "unknown: the device's loop, the disk, or the gateway that has the device did not answer";

    private static final Response NOTHING_WAITS = list(List.of());

    private final Pushes pushes;
    private final IntSupplier maxPayloadBytes;

    MessageEndpoints(Pushes pushes, IntSupplier maxPayloadBytes) {
        this.pushes = pushes;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    List<Route> routes() {
        Schema reply = Schema.object(Schema.maybe("text", Schema.TEXT), Schema.maybe("base64", Schema.TEXT));
        Schema waiting = Schema.object("id:id bytes:count stored:flag sent:flag age_ms:count expires_in_ms:count")
                .named("WaitingMessage");
        return List.of(
                push(reply),
                Route.get(
                                "/v1/devices/{device_id}/messages",
                                "What waits for the device, in order; the first " + Pushes.MOST_LISTED
                                        + "; in a fleet of each gateway.",
                                this::list)
                        .reaches(Reach.LOOK.everywhere(
                                found -> found.status() != 200 || !Arrays.equals(found.body(), NOTHING_WAITS.body()),
                                MessageEndpoints::both))
                        .answers(
                                200,
                                "in memory and on the disk",
                                Schema.object(
                                        Schema.field("messages", Schema.listOf(waiting)),
                                        Schema.field("more", Schema.FLAG)))
                        .refuses(503, UNREADABLE)
                        .refuses(504, NO_ANSWER, DeviceEndpoints.outcome("unknown")),
                Route.get("/v1/devices/{device_id}/messages/{message_id}", "One that waits.", this::show)
                        .reaches(Reach.LOOK.everywhere(MessageEndpoints::isKnown, null))
                        .answers(200, "it waits", waiting)
                        .refuses(404, NO_MESSAGE)
                        .refuses(503, UNREADABLE)
                        .refuses(504, NO_ANSWER, DeviceEndpoints.outcome("unknown")),
                Route.delete(
                                "/v1/devices/{device_id}/messages/{message_id}",
                                "Takes back one that waits.",
                                this::cancel)
                        .scope(Scope.SEND)
                        .reaches(Reach.CHANGE.everywhere(MessageEndpoints::isKnown, null))
                        .answers(204, new Route.Answer("it waits no longer", List.of(), null))
                        .refuses(404, NO_MESSAGE)
                        .refuses(503, UNREADABLE)
                        .refuses(504, NO_ANSWER, DeviceEndpoints.outcome("unknown")));
    }

    private Route push(Schema reply) {
        return Route.post("/v1/devices/{device_id}/messages", "Sends the body to the device, as one DATA.", this::push)
                .scope(Scope.SEND)
                .takes(ACK, TIMEOUT, REPLY, STORE, MESSAGE_ID)
                .takesHeader(IDEMPOTENCY_KEY)
                .withBody(PAYLOAD)
                .reaches(new Reach(false, null, MessageEndpoints::waitMillis, MessageEndpoints::lost))
                .answers(
                        200,
                        "the device has it, as surely as was asked for",
                        answer(Schema.maybe("reply", reply), Outcome.RECEIVED, Outcome.ACKNOWLEDGED, Outcome.REPLIED))
                .answers(
                        202,
                        "sent: written to its connection; whether it arrived, only the device can say. queued: on the disk",
                        Schema.either(
                                answer(Schema.maybe("reply", reply), Outcome.SENT),
                                Schema.object("device:text id:id", Schema.field(OUTCOME, labels(Outcome.QUEUED)))))
                .refuses(404, "offline: not connected", outcomes(Outcome.OFFLINE))
                .refuses(
                        409,
                        "cannot_acknowledge: its protocol has no ACK; id_in_use: one with this id waits; no_store: there is no messages.directory",
                        outcomes(Outcome.CANNOT_ACKNOWLEDGE, Outcome.ID_IN_USE, Outcome.NO_STORE))
                .refuses(410, "cancelled: taken back while it waited", outcomes(Outcome.CANCELLED))
                .refuses(413, "too_large: more than protocol.max-payload or admin.max-body")
                .refuses(415, "unsupported_charset: a text that is not UTF-8")
                .refuses(422, "key_reused: the key came with another message before", outcomes(Outcome.KEY_REUSED))
                .refuses(
                        429,
                        "full: too much waits for the device, or for all; or too many wrong tokens",
                        Schema.problem(Schema.maybe(OUTCOME, Schema.oneOf(Outcome.FULL.label()))))
                .refuses(
                        503,
                        "busy: it does not read what was sent before; not_stored: the disk does not take it; "
                                + Reach.NOT_REACHED,
                        Schema.problem(Schema.maybe(OUTCOME, labels(Outcome.BUSY, Outcome.NOT_STORED))))
                .refuses(
                        504,
                        "expired: not acknowledged in time, the device may have it; unknown: its loop or the disk did not answer",
                        Schema.problem(
                                Schema.field(OUTCOME, labels(Outcome.EXPIRED, Outcome.UNKNOWN)),
                                Schema.field("id", Schema.ID)));
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
        CompletionStage<PushResult> result =
                key.isEmpty() ? pushes.send(push) : pushes.send(push, key.get(), fingerprint(push, call));
        return result.thenApply(known -> response(known, push.deviceId()));
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
        Push.Ack ack = ackOf(call);
        if (reply && ack != Push.Ack.DEVICE) {
            throw HttpError.badRequest("ack = " + ack.label() + ": need device with reply = 1");
        }
        Long proposed = call.proposedId();
        long id = MESSAGE_ID.in(call).orElseGet(() -> proposed == null ? pushes.nextId() : proposed);
        if (id == 0 && ack == Push.Ack.DEVICE) {
            throw HttpError.badRequest("id = 0: need 1 or more with ack = device");
        }
        boolean store = STORE.in(call).orElse(false);
        if (reply && store) {
            throw HttpError.badRequest("store = 1: need reply = 0");
        }
        return new Push(
                DeviceEndpoints.deviceId(call),
                id,
                text,
                payload,
                ack,
                reply,
                timeout(call, store).toNanos(),
                store);
    }

    private static Push.Ack ackOf(Request call) {
        return ACK.in(call).orElse(REPLY.in(call).orElse(false) ? Push.Ack.DEVICE : Push.Ack.SENT);
    }

    private Duration timeout(Request call, boolean store) {
        Duration most = store ? pushes.maxAge() : PushSettings.MAX_TIMEOUT;
        Duration asked = TIMEOUT.in(call).orElse(store ? most : PushSettings.TIMEOUT);
        if (asked.compareTo(most) > 0) {
            throw HttpError.badRequest("timeout = " + asked.toSeconds() + "s: need 1ms.." + most.toSeconds() + "s"
                    + (store ? " (messages.max-age)" : ", or store = 1"));
        }
        return asked;
    }

    /** Of what makes a message that message; how long it is waited for does not. */
    private static byte[] fingerprint(Push push, Request call) {
        String id = MESSAGE_ID.in(call).map(Long::toUnsignedString).orElse("");
        String form = push.ack().label() + ' ' + push.reply() + ' ' + push.store() + ' ' + push.text();
        String rest = form + ' ' + id + ' ' + push.deviceId();
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(rest.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0); // in no device id
            return digest.digest(push.payload());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("each JDK has it", e);
        }
    }

    // ------------------------------------------------------------------ at another gateway

    /** How long the answer may take, the device willing. */
    private static long waitMillis(Request call) {
        if (STORE.in(call).orElse(false) || ackOf(call) == Push.Ack.SENT) {
            return 0;
        }
        Duration asked = TIMEOUT.in(call).orElse(PushSettings.TIMEOUT);
        return Math.min(asked.toMillis(), PushSettings.MAX_TIMEOUT.toMillis());
    }

    /** The gateway that has the device may have sent the message, or kept it. */
    private static Response lost(Request call, long proposed, String why) {
        boolean store = STORE.in(call).orElse(false);
        return refusal(PushResult.refused(
                store ? Outcome.UNKNOWN : Outcome.EXPIRED,
                MESSAGE_ID.in(call).orElse(proposed),
                why + (store ? ": the message may be kept or not" : "; the device may have it")));
    }

    private static boolean isKnown(Response found) {
        return found.status() != 404;
    }

    /** Lists of two gateways as one. */
    private static Response both(Response one, Response other) {
        ObjectNode all = Response.tree(one.body());
        ObjectNode more = Response.tree(other.body());
        all.withArray("messages").addAll(more.withArray("messages"));
        return Response.json(all.put(
                "more", all.path("more").asBoolean() || more.path("more").asBoolean()));
    }

    // ------------------------------------------------------------------ what waits

    CompletionStage<Response> list(Request call) {
        return patiently(pushes.waiting(DeviceEndpoints.deviceId(call)), MessageEndpoints::list);
    }

    private static Response list(List<Pushes.Waiting> waiting) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("messages", waiting.stream().map(MessageEndpoints::view).toList());
        view.put("more", waiting.size() == Pushes.MOST_LISTED);
        return Response.json(view);
    }

    CompletionStage<Response> show(Request call) {
        long id = ID_OF_PATH.value(call.segment(4));
        return patiently(pushes.waiting(DeviceEndpoints.deviceId(call), id), waiting -> waiting.stream()
                .findFirst()
                .map(each -> Response.json(view(each)))
                .orElseGet(MessageEndpoints::unknownMessage));
    }

    CompletionStage<Response> cancel(Request call) {
        long id = ID_OF_PATH.value(call.segment(4));
        return patiently(
                pushes.cancel(DeviceEndpoints.deviceId(call), id, true),
                any -> any ? Response.noContent() : unknownMessage());
    }

    private static <T> CompletionStage<Response> patiently(CompletionStage<T> found, Function<T, Response> answer) {
        return found.thenApply(answer)
                .exceptionally(MessageEndpoints::unreadable)
                .toCompletableFuture()
                .completeOnTimeout(DeviceEndpoints.UNKNOWN, SessionCall.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Response unreadable(Throwable failure) {
        if (failure.getCause() instanceof StoreException known) {
            return Response.error(503, "unreadable", String.valueOf(known.getMessage()))
                    .retrySoon();
        }
        throw new CompletionException(failure);
    }

    private static Response unknownMessage() {
        return Response.error(404, "unknown_message", "no message with this id waits for the device");
    }

    private static Map<String, Object> view(Pushes.Waiting message) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", JobJson.number(message.id()));
        view.put("bytes", message.bytes());
        view.put("stored", message.stored());
        view.put("sent", message.sent());
        view.put("age_ms", message.ageMillis());
        view.put("expires_in_ms", message.leftMillis());
        return view;
    }

    // ------------------------------------------------------------------ answering

    private static Response response(PushResult result, String deviceId) {
        ConnectionEvent.Identity to = result.to();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put(OUTCOME, result.outcome().label());
        view.put("device", deviceId);
        if (result.outcome() == Outcome.QUEUED) {
            view.put("id", JobJson.number(result.messageId()));
            return Response.json(202, view);
        }
        if (to == null) {
            return refusal(result);
        }
        view.put("session", to.sessionId());
        view.put("epoch", to.epoch());
        view.put("id", JobJson.number(result.messageId()));
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
            more.put("id", JobJson.number(result.messageId()));
        }
        Response refusal = Response.error(status(result.outcome()), outcome, result.detail(), more);
        return switch (result.outcome()) {
            case FULL, BUSY, NOT_STORED -> refusal.retrySoon();
            default -> refusal;
        };
    }

    private static int status(Outcome refused) {
        return switch (refused) {
            case OFFLINE -> 404;
            case CANNOT_ACKNOWLEDGE, ID_IN_USE, NO_STORE -> 409;
            case CANCELLED -> 410;
            case KEY_REUSED -> 422;
            case FULL -> 429;
            case BUSY, NOT_STORED -> 503;
            case EXPIRED, UNKNOWN -> 504;
            default -> throw new AssertionError(refused);
        };
    }
}
