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
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** What {@link #fields} knows by name. */
    private static final Map<String, Schema> PLAIN = Map.of(
            "text",
            TEXT,
            "flag",
            FLAG,
            "number",
            NUMBER,
            "integer",
            of("integer"),
            "count",
            COUNT,
            "time",
            TIME,
            "id",
            ID);

    private static final Pattern PLAIN_FIELD = Pattern.compile("([a-z_]+)(\\??):([a-z]+)(|\\[]|\\{}|/null)");

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

    /**
     * Fields in short, with blanks between, and more behind them: {@code name:text} is always there, {@code via?:text} may be left out, {@code groups:text[]} is a
     * list, {@code attributes:text{}} an object whose names are data, {@code ended:time/null} may be null.
     */
    static Field[] fields(String plain, Field... more) {
        Stream<Field> told = Stream.of(plain.split(" ")).map(each -> {
            Matcher parts = PLAIN_FIELD.matcher(each);
            if (!parts.matches()) {
                throw new IllegalArgumentException(each + ": need name:type");
            }
            Schema bare = Objects.requireNonNull(PLAIN.get(parts.group(3)), each);
            Schema schema =
                    switch (parts.group(4)) {
                        case "[]" -> listOf(bare);
                        case "{}" -> mapOf(bare);
                        case "/null" -> bare.orNull();
                        default -> bare;
                    };
            return new Field(parts.group(1), schema, parts.group(2).isEmpty());
        });
        return Stream.concat(told, Stream.of(more)).toArray(Field[]::new);
    }

    /** An object of {@link #fields}. */
    static Schema object(String plain, Field... more) {
        return object(fields(plain, more));
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

    static <T> Schema oneOf(T[] values, Function<T, String> label) {
        return oneOf(Stream.of(values).map(label).toList());
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
        return page(name, entry, Parameter.CURSOR);
    }

    /**
     * The same with another cursor.
     *
     * @param more fields
     */
    static Schema page(String name, Schema entry, Parameter<?> cursor, Field... more) {
        Field[] both = {
            field(name, listOf(entry)), field("next", cursor.schema().orNull())
        };
        return object(Stream.of(both, more).flatMap(Stream::of).toArray(Field[]::new));
    }

    /** Form of a refusal (RFC 9457), with fields of its own behind those of all. */
    static Schema problem(Field... more) {
        Schema status = of("integer").with("minimum", NODES.numberNode(400)).with("maximum", NODES.numberNode(599));
        Field type = field("type", TEXT.with("format", NODES.textNode("uri-reference")));
        Field code = field("code", TEXT.with("pattern", NODES.textNode("^[a-z0-9_]+$")));
        Field[] rest = fields("title:text detail:text", type, code, field("status", status));
        return object(Stream.of(rest, more).flatMap(Stream::of).toArray(Field[]::new));
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
