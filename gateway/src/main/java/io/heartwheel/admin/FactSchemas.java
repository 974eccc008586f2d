package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.sink.FactJson;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Schemas of evidence and incidents, taken from those of the events that tell the same ({@code events.schema.json}). Any thread.
 */
final class FactSchemas {
    private static final String DEFINITIONS = "#/$defs/";
    /** What only events have. */
    private static final Set<String> OF_EVENTS = Set.of("event", "sequence", "incarnation", "instance");

    private static final ObjectNode EVENTS = events();

    /** Evidence of a close. */
    static final Schema EVIDENCE = evidence().named("Evidence");

    static final Schema INCIDENT = fact("incident", Set.of()).named("Incident");

    private FactSchemas() {}

    /** Evidence of a close or of an open connection, and more. */
    static Schema evidence(Schema.Field... more) {
        Schema told = fact("disconnected", Set.of("device", "reason"));
        ObjectNode properties = told.node().withObjectProperty("properties");
        properties.set("reason", reference("reason"));
        properties.set("protocol", Schema.TEXT.node());
        properties.set("established", Schema.FLAG.node());
        properties.set("claimed_device", Schema.TEXT.node());
        properties.set("open", Schema.FLAG.node());
        Map<String, ObjectNode> named = new LinkedHashMap<>(told.named());
        for (Schema.Field field : more) {
            properties.set(field.name(), field.schema().node());
            if (field.required()) {
                ((ArrayNode) told.node().get("required")).add(field.name());
            }
            named.putAll(field.schema().named());
        }
        return new Schema(told.node(), named);
    }

    /** @param optional what its event must have, but it need not */
    private static Schema fact(String event, Set<String> optional) {
        Map<String, ObjectNode> named = new LinkedHashMap<>();
        ObjectNode node = taken(event, named);
        node.withObjectProperty("properties").remove(OF_EVENTS);
        ArrayNode required = node.arrayNode();
        for (JsonNode name : node.get("required")) {
            if (!OF_EVENTS.contains(name.asText()) && !optional.contains(name.asText())) {
                required.add(name);
            }
        }
        node.set("required", required);
        return new Schema(node, named);
    }

    /** A definition, with references that lead to components; readers of answers pass over fields that they do not know. */
    private static ObjectNode taken(String definition, Map<String, ObjectNode> named) {
        ObjectNode copy = Objects.requireNonNull((ObjectNode) EVENTS.get(definition), definition)
                .deepCopy();
        copy.remove(List.of("additionalProperties", "description"));
        for (JsonNode holder : copy.findParents("$ref")) {
            String to = holder.get("$ref").asText().substring(DEFINITIONS.length());
            ((ObjectNode) holder).setAll(reference(to));
            if (!named.containsKey(component(to))) {
                named.put(component(to), EVENTS.objectNode()); // so that it is taken once
                named.put(component(to), taken(to, named));
            }
        }
        return copy;
    }

    private static ObjectNode reference(String definition) {
        return EVENTS.objectNode().put("$ref", Schema.COMPONENTS + component(definition));
    }

    private static String component(String definition) {
        return "Event" + Character.toUpperCase(definition.charAt(0)) + definition.substring(1);
    }

    private static ObjectNode events() {
        try (InputStream in = FactJson.class.getResourceAsStream("events.schema.json")) {
            return (ObjectNode) new ObjectMapper()
                    .readTree(Objects.requireNonNull(in, "events.schema.json"))
                    .get("$defs");
        } catch (IOException e) {
            throw new IllegalStateException("events.schema.json", e);
        }
    }
}
