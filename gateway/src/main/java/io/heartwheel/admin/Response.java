package io.heartwheel.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.net.HttpError;
import io.heartwheel.sink.EvidenceJson;
import io.heartwheel.sink.IncidentJson;
import io.heartwheel.sink.JsonRules;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Response to a request. Any thread; nobody changes the body.
 *
 * @param headers beside those of every answer
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Response(HttpResponseStatus status, String contentType, byte[] body, Map<CharSequence, String> headers) {
    private static final ObjectMapper JSON = JsonMapper.builder(JsonRules.factory())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(new SimpleModule()
                    .addSerializer(long.class, told(Response::number))
                    .addSerializer(Long.class, told(Response::number))
                    .addSerializer(Evidence.class, told(EvidenceJson::write))
                    .addSerializer(Incident.class, told(IncidentJson::write)))
            .build();

    /** Writes a value as it is told elsewhere too. */
    private interface Form<T> {
        void write(T value, JsonGenerator json) throws IOException;
    }

    private static <T> JsonSerializer<T> told(Form<T> form) {
        return new JsonSerializer<>() {
            @Override
            public void serialize(T value, JsonGenerator json, SerializerProvider unused) throws IOException {
                form.write(value, json);
            }
        };
    }

    /** One type for what the gateway counts and for its ids: beyond 2^53 - 1 a string, see {@link JsonRules}. */
    private static void number(long value, JsonGenerator json) throws IOException {
        if (JsonRules.isNumber(Math.abs(value))) {
            json.writeNumber(value);
        } else {
            json.writeString(Long.toString(value));
        }
    }

    private record Problem(Detail error) {}

    private record Detail(String code, String message) {}

    /** Nothing to say. */
    static Response noContent() {
        return new Response(HttpResponseStatus.NO_CONTENT, "", new byte[0], Map.of());
    }

    /** Ready bytes. */
    static Response of(String contentType, byte[] body) {
        return new Response(HttpResponseStatus.OK, contentType, body, Map.of());
    }

    /** A record or a map as one line of JSON. */
    static Response json(HttpResponseStatus status, Object value) {
        return new Response(status, "application/json", line(value), Map.of());
    }

    /** A record or a map as a tree, to add to. */
    static ObjectNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    /** A list as a tree. */
    static ArrayNode array(List<?> values) {
        return JSON.valueToTree(values);
    }

    /** What went wrong: a code for programs, a message for people. */
    static Response error(HttpResponseStatus status, String code, String message) {
        return json(status, new Problem(new Detail(code, message)));
    }

    /** A refusal. */
    static Response of(HttpError refusal) {
        Response answer = error(HttpResponseStatus.valueOf(refusal.status()), refusal.code(), refusal.text());
        return refusal.allow() == null ? answer : answer.with(HttpHeaderNames.ALLOW, refusal.allow());
    }

    /** The same with one more header. */
    Response with(CharSequence name, String value) {
        return new Response(status, contentType, body, Map.of(name, value));
    }

    /** Come back in a second. */
    Response retrySoon() {
        return with(HttpHeaderNames.RETRY_AFTER, "1");
    }

    private static byte[] line(Object value) {
        try {
            return (JSON.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON of " + value.getClass(), e);
        }
    }
}
