package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Answers beside the document of the API: each must fit the schema of its route and status, and have no field that stands nowhere. Any thread. */
public final class AnswerSchemas {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
    private static final List<String> BEFORE_ANY_ROUTE =
            List.of("400", "401", "404", "405", "408", "413", "414", "421", "429", "431", "503");

    private final JsonNode document;
    private final JsonNode strict;
    private final Map<JsonNode, JsonSchema> schemas = Collections.synchronizedMap(new IdentityHashMap<>());
    private final Map<String, String[]> paths = new LinkedHashMap<>();

    private AnswerSchemas(JsonNode document) {
        this.document = document;
        strict = closed(document.deepCopy());
        document.path("paths").fieldNames().forEachRemaining(path -> paths.put(path, path.split("/", -1)));
    }

    /** Those of the gateway under test, whatever its configuration. */
    public static AnswerSchemas ofThisGateway() {
        return OfThisGateway.SCHEMAS;
    }

    /** Made when it is first asked for. */
    private static final class OfThisGateway {
        static final AnswerSchemas SCHEMAS = made();

        private static AnswerSchemas made() {
            try (AdminFixture admin = new AdminFixture()) {
                Request call = new Request(
                        HttpMethod.GET,
                        "",
                        null,
                        List.of("v1", "openapi.json"),
                        Map.of(),
                        new DefaultHttpHeaders(),
                        new byte[0],
                        null);
                Response served = Routes.of(admin.ports())
                        .answer(call, Caller.LOCAL, "")
                        .toCompletableFuture()
                        .join();
                return new AnswerSchemas(JSON.readTree(served.body()));
            } catch (IOException e) {
                throw new AssertionError("a document that is no JSON", e);
            }
        }
    }

    /** The document. */
    JsonNode document() {
        return document;
    }

    /**
     * Whether an answer is one that the document tells.
     *
     * @param target path and query as sent
     * @param contentType empty if there is none
     * @throws AssertionError if not
     */
    public void check(String method, String target, int status, String contentType, String body) {
        Supplier<String> what = () -> method + " " + target + " -> " + status + " " + contentType + " " + body;
        String path = pathOf(target);
        JsonNode operations = document.path("paths").path(path);
        JsonNode operation = operations.path(method.equals("HEAD") ? "get" : method.toLowerCase(Locale.ROOT));
        String type = contentType.split(";")[0];
        if (operation.isMissingNode()) {
            if (!BEFORE_ANY_ROUTE.contains(String.valueOf(status))) {
                throw new AssertionError("no such operation: " + what.get());
            }
            problem(method, status, type, body, what);
            return;
        }
        JsonNode responses = operation.path("responses");
        JsonNode answer = responses.path(responses.has(String.valueOf(status)) ? String.valueOf(status) : "default");
        if (answer.has("$ref")) {
            answer = document.at(answer.get("$ref").asText().substring(1));
        }
        boolean isDefault = !responses.has(String.valueOf(status));
        if (isDefault && status < 400) {
            throw new AssertionError("status is not in the document: " + what.get());
        }
        JsonNode content = answer.path("content");
        if (content.isMissingNode()) {
            if (!type.isEmpty() || !body.isEmpty()) {
                throw new AssertionError("a body where the document has none: " + what.get());
            }
            return;
        }
        JsonNode media = content.path(type);
        if (media.isMissingNode()) {
            throw new AssertionError("media type is not in the document: " + what.get());
        }
        if (type.startsWith("application/") && media.has("schema") && !method.equals("HEAD")) {
            fits(media.get("schema"), body, what);
        }
        if (status >= 400) {
            problem(method, status, type, body, what);
        }
    }

    private void problem(String method, int status, String type, String body, Supplier<String> what) {
        if (!type.equals("application/problem+json")) {
            throw new AssertionError("no problem: " + what.get());
        }
        if (method.equals("HEAD")) {
            return;
        }
        JsonNode told = read(body, what);
        String code = told.path("code").asText();
        if (told.path("status").asInt() != status
                || !told.path("type").asText().equals("urn:heartwheel:problem:" + code)
                || told.path("detail").asText().isEmpty()) {
            throw new AssertionError("a problem that contradicts itself: " + what.get());
        }
    }

    private void fits(JsonNode schema, String body, Supplier<String> what) {
        JsonSchema whole = schemas.computeIfAbsent(schema, this::compiled);
        Set<?> faults = whole.validate(read(body, what));
        if (!faults.isEmpty()) {
            throw new AssertionError(faults + ": " + what.get());
        }
    }

    private JsonSchema compiled(JsonNode schema) {
        ObjectNode whole = JSON.createObjectNode();
        whole.set("components", strict.get("components"));
        whole.setAll((ObjectNode) closed(schema.deepCopy()));
        return FACTORY.getSchema(whole);
    }

    private static JsonNode read(String body, Supplier<String> what) {
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new AssertionError("no JSON: " + what.get(), e);
        }
    }

    /** The same schemas, and no field beside theirs. */
    private static JsonNode closed(JsonNode node) {
        if (node.path("properties").isObject() && !node.has("additionalProperties")) {
            ((ObjectNode) node).put("additionalProperties", false);
        }
        node.forEach(AnswerSchemas::closed);
        return node;
    }

    /** The path of the document that this target is on; else as it was asked. */
    String pathOf(String target) {
        String asked = target.split("\\?", 2)[0].replaceFirst("^http://[^/]*", "");
        String[] segments = asked.split("/", -1);
        for (Map.Entry<String, String[]> path : paths.entrySet()) {
            if (leads(path.getValue(), segments)) {
                return path.getKey();
            }
        }
        return asked;
    }

    private static boolean leads(String[] path, String[] segments) {
        boolean same = path.length == segments.length;
        for (int i = 0; same && i < path.length; i++) {
            same = path[i].startsWith("{") || path[i].equals(decoded(segments[i]));
        }
        return same;
    }

    private static String decoded(String segment) {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return segment;
        }
    }

    /** Method and path of each. */
    List<String> operations() {
        List<String> all = new ArrayList<>();
        document.path("paths").properties().forEach(path -> path.getValue()
                .fieldNames()
                .forEachRemaining(method -> all.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        return all;
    }

    /** Every schema of the document, with its place. */
    List<JsonNode> all() {
        List<JsonNode> all = new ArrayList<>();
        document.path("components").path("schemas").forEach(all::add);
        document.findValues("schema").forEach(all::add);
        return all;
    }

    /** What its own rules say of a schema. */
    static Set<?> faults(JsonNode schema) {
        return FACTORY.getSchema(SchemaLocation.of(SpecVersion.VersionFlag.V202012.getId()))
                .validate(schema);
    }

    /** References of the document that lead nowhere. */
    List<String> lost() {
        List<String> lost = new ArrayList<>();
        for (JsonNode ref : document.findValues("$ref")) {
            if (document.at(ref.asText().substring(1)).isMissingNode()) {
                lost.add(ref.asText());
            }
        }
        return lost;
    }
}
