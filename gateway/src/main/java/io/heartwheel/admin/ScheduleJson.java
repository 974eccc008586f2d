package io.heartwheel.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.heartwheel.auth.Grant;
import io.heartwheel.net.HttpError;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleSpec.Kind;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.push.schedule.ScheduleSpec.Repeat;
import io.heartwheel.push.schedule.ScheduleSpec.Start;
import io.heartwheel.push.schedule.ScheduleView;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** JSON of a schedule, read and written. A body with mistakes is refused with all of them at once. One object reads one body; one thread. */
final class ScheduleJson {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Set<String> MEMBERS = Set.of(
            "to", "after", "at", "every", "mode", "times", "missed", "ack", "timeout", "store", "text", "base64");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,11})(ms|s|m|h|d)");
    private static final Repeat[] MODES = {Repeat.RATE, Repeat.DELAY};
    private static final long MOST_TIMES = (1L << 53) - 1;

    /**
     * A schedule that was asked for.
     *
     * @param payload of its message
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Asked(ScheduleSpec spec, byte[] payload) {}

    private final JsonNode body;
    private final @Nullable Duration maxAge;
    private final List<String> mistakes = new ArrayList<>();

    private ScheduleJson(JsonNode body, @Nullable Duration maxAge) {
        this.body = body;
        this.maxAge = maxAge;
    }

    // ------------------------------------------------------------------ reading

    /**
     * Reads a body.
     *
     * @param maxAge the longest timeout of a message that is stored; null: none can be
     * @param maxPayloadBytes of a message
     * @throws HttpError 400 with every mistake; 413 if the message is too large
     */
    static Asked read(byte[] body, @Nullable Duration maxAge, int maxPayloadBytes) {
        ScheduleJson reading = new ScheduleJson(tree(body), maxAge);
        Asked asked = reading.asked();
        if (asked == null) {
            throw HttpError.badRequest(String.join("; ", reading.mistakes));
        }
        if (asked.payload.length > maxPayloadBytes) {
            throw new HttpError(
                    413, "too_large", "payload of " + asked.payload.length + " bytes: need at most " + maxPayloadBytes);
        }
        return asked;
    }

    private static JsonNode tree(byte[] body) {
        try {
            // by ourselves: what is no UTF-8 is refused, not replaced
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            JsonNode tree = JSON.readTree(text);
            if (tree.isObject()) {
                return tree;
            }
        } catch (JsonProcessingException e) {
            throw HttpError.badRequest(
                    "body: " + e.getOriginalMessage().lines().findFirst().orElse("no JSON"));
        } catch (CharacterCodingException e) {
            throw HttpError.badRequest("body: need UTF-8");
        }
        throw HttpError.badRequest("body: need one JSON object");
    }

    /** Null after mistakes. */
    private @Nullable Asked asked() {
        body.fieldNames().forEachRemaining(name -> {
            if (!MEMBERS.contains(name)) {
                mistakes.add(HttpError.quote(name) + ": need one of "
                        + MEMBERS.stream().sorted().toList());
            }
        });
        ScheduleSpec.To to = to();
        long everyMillis = duration("every", ScheduleSpec.MIN_EVERY, ScheduleSpec.MAX_AHEAD, Duration.ZERO);
        Repeat repeat = body.has("every") ? choice("mode", MODES, Repeat.RATE) : Repeat.ONCE;
        if (repeat == Repeat.ONCE && body.has("mode")) {
            mistakes.add("mode: need every besides");
        }
        long times = times(repeat);
        Missed missed = choice("missed", Missed.values(), Missed.ONCE);
        Push.Ack ack = choice("ack", Push.Ack.values(), Push.Ack.SENT);
        boolean store = store();
        Duration most = store && maxAge != null ? maxAge : PushSettings.MAX_TIMEOUT;
        long timeoutMillis = duration("timeout", Duration.ofMillis(1), most, store ? most : PushSettings.TIMEOUT);
        Start start = body.has("at") ? Start.AT : Start.AFTER;
        long startMillis = start == Start.AT
                ? at()
                : duration("after", Duration.ZERO, ScheduleSpec.MAX_AHEAD, Duration.ofMillis(everyMillis));
        if (body.has("at") && body.has("after")) {
            mistakes.add("after, at: need only one of them");
        } else if (!body.has("at") && !body.has("after") && !body.has("every")) {
            mistakes.add("after, at, every: need one of them");
        }
        byte[] payload = payload();
        if (!mistakes.isEmpty()) {
            return null;
        }
        ScheduleSpec spec = new ScheduleSpec(
                to,
                start,
                startMillis,
                repeat,
                everyMillis,
                times,
                missed,
                ack,
                timeoutMillis,
                store,
                body.has("text"));
        return new Asked(spec, payload);
    }

    private void wrong(String name, JsonNode value, String need) {
        mistakes.add(
                name + (value.isMissingNode() ? "" : " = " + HttpError.quote(value.toString())) + ": need " + need);
    }

    private ScheduleSpec.To to() {
        JsonNode to = body.path("to");
        if (to.isObject() && to.size() == 1) {
            String device = to.path("device").asText("");
            if (DeviceEndpoints.DEVICE_ID.read().apply(device).isPresent()
                    && to.path("device").isTextual()) {
                return new ScheduleSpec.To(Kind.DEVICE, device);
            }
            String group = to.path("group").asText("");
            if (Grant.isName(group) && to.path("group").isTextual()) {
                return new ScheduleSpec.To(Kind.GROUP, group);
            }
            if (to.path("all").isBoolean() && to.path("all").booleanValue()) {
                return new ScheduleSpec.To(Kind.ALL, "");
            }
        }
        wrong("to", to, "{\"device\": ID}, {\"group\": NAME} or {\"all\": true}");
        return new ScheduleSpec.To(Kind.ALL, "");
    }

    /** Milliseconds; 0 after a mistake. */
    private long duration(String name, Duration least, Duration most, Duration fallback) {
        JsonNode value = body.path(name);
        if (value.isMissingNode()) {
            return fallback.toMillis();
        }
        Matcher parts = DURATION.matcher(value.isTextual() ? value.textValue() : "");
        if (parts.matches()) {
            Duration given = unit(parts.group(2)).multipliedBy(Long.parseLong(parts.group(1)));
            if (given.compareTo(least) >= 0 && given.compareTo(most) <= 0) {
                return given.toMillis();
            }
        }
        wrong(
                name,
                value,
                words(least.toMillis()) + ".." + words(most.toMillis()) + ", as in 500ms, 90s, 10m, 2h or 7d");
        return 0;
    }

    private static Duration unit(String name) {
        return switch (name) {
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            default -> Duration.ofDays(1);
        };
    }

    private long at() {
        JsonNode value = body.path("at");
        try {
            return OffsetDateTime.parse(value.isTextual() ? value.textValue() : "")
                    .toInstant()
                    .toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            wrong("at", value, "a time of RFC 3339, as in 2030-12-01T06:00:00Z");
            return 0;
        }
    }

    private long times(Repeat repeat) {
        JsonNode times = body.path("times");
        boolean once = repeat == Repeat.ONCE;
        if (times.isMissingNode()) {
            return once ? 1 : ScheduleSpec.FOR_EVER;
        }
        long given = times.isIntegralNumber() && times.canConvertToLong() ? times.longValue() : 0;
        if (given >= 1 && given <= (once ? 1 : MOST_TIMES)) {
            return given;
        }
        wrong("times", times, once ? "1, or every besides" : "1.." + MOST_TIMES);
        return 1;
    }

    private <T extends Enum<T>> T choice(String name, T[] all, T fallback) {
        JsonNode value = body.path(name);
        for (T each : all) {
            if (value.isTextual() && value.textValue().equals(ScheduleSpec.label(each))) {
                return each;
            }
        }
        if (!value.isMissingNode()) {
            wrong(
                    name,
                    value,
                    "one of " + Stream.of(all).map(ScheduleSpec::label).toList());
        }
        return fallback;
    }

    private boolean store() {
        JsonNode value = body.path("store");
        if (!value.isMissingNode() && !value.isBoolean()) {
            wrong("store", value, "true or false");
        } else if (value.booleanValue() && maxAge == null) {
            mistakes.add("store = true: need a messages.directory");
        }
        return value.booleanValue();
    }

    private byte[] payload() {
        JsonNode text = body.path("text");
        JsonNode base64 = body.path("base64");
        if (text.isMissingNode() == base64.isMissingNode()) {
            mistakes.add("text, base64: need one of them");
        } else if (text.isTextual()) {
            byte[] utf8 = text.textValue().getBytes(StandardCharsets.UTF_8);
            if (new String(utf8, StandardCharsets.UTF_8).equals(text.textValue())) {
                return utf8;
            }
            wrong("text", text, "whole characters: half of a surrogate pair is none");
        } else if (!text.isMissingNode()) {
            wrong("text", text, "a string");
        } else {
            try {
                return Base64.getDecoder().decode(base64.isTextual() ? base64.textValue() : "-");
            } catch (IllegalArgumentException e) {
                wrong("base64", base64, "a string of base64");
            }
        }
        return new byte[0];
    }

    // ------------------------------------------------------------------ writing

    /** As answers have it: what was put, and how far it is. */
    static Map<String, Object> view(ScheduleView view) {
        ScheduleRow row = view.row();
        ScheduleSpec spec = row.spec();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", row.key());
        Object name = spec.to().kind() == Kind.ALL ? (Object) true : spec.to().name();
        json.put("to", Map.of(ScheduleSpec.label(spec.to().kind()), name));
        if (spec.start() == Start.AT) {
            json.put("at", Instant.ofEpochMilli(spec.startMillis()).toString());
        } else {
            json.put("after", words(spec.startMillis()));
        }
        if (spec.repeat() != Repeat.ONCE) {
            json.put("every", words(spec.everyMillis()));
            json.put("mode", ScheduleSpec.label(spec.repeat()));
        }
        if (spec.times() != ScheduleSpec.FOR_EVER) {
            json.put("times", spec.times());
        }
        json.put("missed", ScheduleSpec.label(spec.missed()));
        json.put("ack", spec.ack().label());
        json.put("timeout", words(spec.timeoutMillis()));
        json.put("store", spec.store());
        byte[] payload = row.payload();
        if (payload != null && spec.text()) {
            json.put("text", new String(payload, StandardCharsets.UTF_8));
        } else if (payload != null) {
            json.put("base64", Base64.getEncoder().encodeToString(payload));
        }
        json.put("bytes", row.bytes());
        json.put("durable", view.durable());
        json.put("state", view.running() ? "running" : "waiting");
        if (view.node() != null) {
            json.put("node", view.node());
        }
        ScheduleRow.Progress at = row.progress();
        json.put("runs", at.run());
        json.put("next", Instant.ofEpochMilli(view.nextMillis()).toString());
        RunResult last = at.lastResult();
        if (last != null) {
            json.put("last", Instant.ofEpochMilli(at.lastMillis()).toString());
            json.put("last_result", last.label());
        }
        return json;
    }

    /** The form of {@link #view}. */
    static Schema schema() {
        Schema.Field[] progress = Schema.fields(
                "bytes:count durable:flag node?:text runs:count next:time last?:time",
                Schema.field("state", Schema.oneOf("waiting", "running")),
                Schema.maybe("last_result", Schema.oneOf(RunResult.values(), RunResult::label)));
        return Schema.object(Stream.of(Schema.fields("key:text"), asked(true), progress)
                        .flatMap(Stream::of)
                        .toArray(Schema.Field[]::new))
                .named("Schedule");
    }

    /** The form of a body. */
    static Schema bodySchema() {
        return Schema.object(asked(false)).named("ScheduleAsked");
    }

    /** @param answer whether all is told that has a default */
    private static Schema.Field[] asked(boolean answer) {
        Schema to = Schema.either(Schema.object("device:text"), Schema.object("group:text"), Schema.object("all:flag"));
        return Schema.fields(
                "after?:text at?:time every?:text times?:count text?:text",
                Schema.maybe("base64", Schema.TEXT),
                Schema.field("to", to),
                Schema.maybe("mode", Schema.oneOf(MODES, ScheduleSpec::label)),
                new Schema.Field("missed", Schema.oneOf(Missed.values(), ScheduleSpec::label), answer),
                new Schema.Field("ack", Schema.oneOf(Push.Ack.values(), Push.Ack::label), answer),
                new Schema.Field("timeout", Schema.TEXT, answer),
                new Schema.Field("store", Schema.FLAG, answer));
    }

    /** As an operator writes it: 500ms, 90s, 2h, 7d. */
    private static String words(long millis) {
        if (millis % 1_000 != 0 || millis == 0) {
            return millis == 0 ? "0s" : millis + "ms";
        }
        long seconds = millis / 1_000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }
}
