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
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiHeader;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.net.HttpError;
import io.heartwheel.sink.FactJson;
import io.heartwheel.sink.JsonRules;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Response to a request. Any thread; nobody changes the body.
 *
 * @param headers beside those of every answer
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Response(int status, String contentType, byte[] body, Map<CharSequence, String> headers) {
    static final String JSON_TYPE = "application/json";
    /** Of RFC 9457. */
    static final String PROBLEM_TYPE = "application/problem+json";

    /** A problem's type is a name: there is nothing to fetch. */
    private static final String PROBLEM_NAMES = "urn:heartwheel:problem:";

    private static final ObjectMapper JSON = JsonMapper.builder(JsonRules.factory())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(new SimpleModule()
                    .addSerializer(long.class, told(Response::number))
                    .addSerializer(Long.class, told(Response::number))
                    .addSerializer(Evidence.class, told(FactJson::write))
                    .addSerializer(Incident.class, told(FactJson::write)))
            .build();

    /** Form of a value that is told elsewhere too. */
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

    /** Nothing to say. */
    static Response noContent() {
        return new Response(204, "", new byte[0], Map.of());
    }

    /** Ready bytes. */
    static Response of(String contentType, byte[] body) {
        return new Response(200, contentType, body, Map.of());
    }

    /** 200 with a record or a map as one line of JSON. */
    static Response json(Object value) {
        return json(200, value);
    }

    /** A record or a map as one line of JSON. */
    static Response json(int status, Object value) {
        return new Response(status, JSON_TYPE, line(value), Map.of());
    }

    /**
     * A part of a list that may not fit into one answer.
     *
     * @param next the cursor to go on with; null if there is no more
     */
    static Response page(String name, List<?> entries, @Nullable Long next) {
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put(name, entries);
        page.put("next", next == null ? null : HexFormat.of().toHexDigits(next));
        return json(page);
    }

    /** A record or a map as a tree, to add to. */
    static ObjectNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    /**
     * The tree of an object that was written here, or by another gateway; of no bytes an empty one.
     *
     * @throws IllegalArgumentException if it is none
     */
    static ObjectNode tree(byte[] json) {
        try {
            return json.length == 0 ? JSON.createObjectNode() : JSON.readValue(json, ObjectNode.class);
        } catch (IOException e) {
            throw new IllegalArgumentException("no object of JSON", e);
        }
    }

    /** A list as a tree. */
    static ArrayNode array(List<?> values) {
        return JSON.valueToTree(values);
    }

    /** What went wrong (RFC 9457): a code for programs, a text for people. */
    static Response error(int status, String code, String detail) {
        return error(status, code, detail, Map.of());
    }

    /**
     * The same with more fields.
     *
     * @param more a record or a map
     */
    static Response error(int status, String code, String detail, Object more) {
        String words = code.replace('_', ' ');
        ObjectNode problem = JSON.createObjectNode()
                .put("type", PROBLEM_NAMES + code)
                .put("title", words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1))
                .put("status", status)
                .put("detail", detail)
                .put("code", code);
        problem.setAll(tree(more));
        return new Response(status, PROBLEM_TYPE, line(problem), Map.of());
    }

    /** A refusal, with the headers that belong to it. */
    static Response of(HttpError refusal) {
        Response answer = error(refusal.status(), refusal.code(), refusal.text());
        return switch (refusal.status()) {
            case 401 -> answer.with(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"heartwheel\"");
            case 429 -> answer.with(HttpHeaderNames.RETRY_AFTER, String.valueOf(AdminAccess.REFILL_SECONDS));
            default -> refusal.allow() == null ? answer : answer.with(HttpHeaderNames.ALLOW, refusal.allow());
        };
    }

    /** The answer of another gateway. */
    static Response of(ApiAnswer answer) {
        Map<CharSequence, String> headers = new LinkedHashMap<>();
        String type = "";
        for (ApiHeader header : answer.headers()) {
            if (HttpHeaderNames.CONTENT_TYPE.contentEqualsIgnoreCase(header.name())) {
                type = header.value();
            } else {
                headers.put(header.name(), header.value());
            }
        }
        return new Response(answer.status(), type, answer.body(), headers);
    }

    /** The same with one more header. */
    Response with(CharSequence name, String value) {
        Map<CharSequence, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        return new Response(status, contentType, body, all);
    }

    /** Come back in a second. */
    Response retrySoon() {
        return with(HttpHeaderNames.RETRY_AFTER, "1");
    }

    /** The same as the answer of an endpoint that need not wait for it. */
    CompletionStage<Response> now() {
        return CompletableFuture.completedFuture(this);
    }

    private static byte[] line(Object value) {
        try {
            return (JSON.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON of " + value.getClass(), e);
        }
    }
}
