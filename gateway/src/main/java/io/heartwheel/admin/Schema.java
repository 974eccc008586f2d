package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.sink.JsonRules;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * JSON Schema (2020-12) of an answer or a part of one, as the document of the API tells it. Immutable, nobody changes the nodes; any thread.
 *
 * @param node the schema; a reference if it has a name
 * @param named the schemas with names that it refers to, by name
 */
record Schema(ObjectNode node, Map<String, ObjectNode> named) {
    /** Where the schemas with names stand in the document. */
    static final String COMPONENTS = "#/components/schemas/";

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    static final Schema TEXT = of("string");
    static final Schema FLAG = of("boolean");
    static final Schema NUMBER = of("number");
    /** A whole number, 0 or more. */
    static final Schema COUNT = of("integer").with("minimum", NODES.numberNode(0));
    /** A moment in UTC, as in RFC 3339. */
    static final Schema TIME = of("string").with("format", NODES.textNode("date-time"));
    /** 64 bits without sign, see {@link JsonRules}. */
    static final Schema ID = id().named("Id");

    /** What went wrong: the form of every refusal. */
    static final Schema PROBLEM = problem().named("Problem");

    /** Keeps a copy of the map. */
    Schema {
        named = Map.copyOf(named);
    }

    /**
     * A field of an object.
     *
     * @param required whether it is always there
     */
    record Field(String name, Schema schema, boolean required) {}

    /** A field that is always there. */
    static Field field(String name, Schema schema) {
        return new Field(name, schema, true);
    }

    /** A field that may be left out. */
    static Field maybe(String name, Schema schema) {
        return new Field(name, schema, false);
    }

    /** A value of one type. */
    static Schema of(String type) {
        return new Schema(NODES.objectNode().put("type", type), Map.of());
    }

    /** One text of a closed list. */
    static Schema oneOf(Collection<String> texts) {
        ArrayNode list = NODES.arrayNode();
        texts.forEach(list::add);
        return TEXT.with("enum", list);
    }

    static Schema oneOf(String... texts) {
        return oneOf(List.of(texts));
    }

    static Schema listOf(Schema entry) {
        Schema list = of("array");
        return new Schema(list.node.set("items", entry.node), entry.named);
    }

    /** An object whose names are data. */
    static Schema mapOf(Schema value) {
        Schema map = of("object");
        return new Schema(map.node.set("additionalProperties", value.node), value.named);
    }

    /** An object; readers pass over fields that they do not know. */
    static Schema object(Field... fields) {
        ObjectNode node = NODES.objectNode().put("type", "object");
        ObjectNode properties = node.putObject("properties");
        ArrayNode required = NODES.arrayNode();
        Map<String, ObjectNode> named = new LinkedHashMap<>();
        for (Field field : fields) {
            properties.set(field.name(), field.schema().node);
            named.putAll(field.schema().named);
            if (field.required()) {
                required.add(field.name());
            }
        }
        node.set("required", required);
        return new Schema(node, named);
    }

    /** One of several forms. */
    static Schema either(Schema... forms) {
        ObjectNode node = NODES.objectNode();
        ArrayNode list = node.putArray("anyOf");
        Map<String, ObjectNode> named = new LinkedHashMap<>();
        for (Schema form : forms) {
            list.add(form.node);
            named.putAll(form.named);
        }
        return new Schema(node, named);
    }

    /** A page of a list. */
    static Schema page(String name, Schema entry) {
        return object(
                field(name, listOf(entry)),
                field("next", Parameter.CURSOR.schema().orNull()));
    }

    /** Form of a refusal (RFC 9457), with fields of its own behind those of all. */
    static Schema problem(Field... more) {
        Schema status = of("integer").with("minimum", NODES.numberNode(400)).with("maximum", NODES.numberNode(599));
        Stream<Field> all = Stream.of(
                field("type", TEXT.with("format", NODES.textNode("uri-reference"))),
                field("title", TEXT),
                field("status", status),
                field("detail", TEXT),
                field("code", TEXT.with("pattern", NODES.textNode("^[a-z0-9_]+$"))));
        return object(Stream.concat(all, Stream.of(more)).toArray(Field[]::new));
    }

    /** The same under a name, which stands in its place wherever it is used. */
    Schema named(String name) {
        Map<String, ObjectNode> all = new LinkedHashMap<>(named);
        all.put(name, node);
        return new Schema(NODES.objectNode().put("$ref", COMPONENTS + name), all);
    }

    /** This or null. */
    Schema orNull() {
        if (node.path("type").isTextual() && !node.has("enum")) {
            ArrayNode types = NODES.arrayNode().add(node.get("type")).add("null");
            return with("type", types);
        }
        return either(this, of("null"));
    }

    /** The same with one more keyword. */
    Schema with(String keyword, JsonNode value) {
        ObjectNode copy = node.deepCopy();
        return new Schema(copy.set(keyword, value), named);
    }

    private static Schema id() {
        ObjectNode either = NODES.objectNode();
        either.put("description", "64 bits without sign: above 2^53 - 1 a string of its digits.");
        ArrayNode forms = either.putArray("oneOf");
        forms.addObject().put("type", "integer").put("minimum", 0).put("maximum", JsonRules.MAX_NUMBER);
        forms.addObject().put("type", "string").put("pattern", "^[1-9][0-9]{15,19}$");
        return new Schema(either, Map.of());
    }
}
