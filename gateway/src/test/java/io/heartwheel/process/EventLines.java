package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Events as a consumer gets them, each of them valid by the schema that consumers are given. */
final class EventLines {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchema SCHEMA = schema();

    private EventLines() {}

    private static JsonSchema schema() {
        try {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(JSON.readTree(Files.readString(Path.of("docs/events.schema.json"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The whole lines of this file; none if there is no such file. */
    static List<JsonNode> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        String text = Files.readString(file);
        List<JsonNode> events = new ArrayList<>();
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            events.add(valid(JSON.readTree(line)));
        }
        return events;
    }

    /** Different lines of this kind in this file, looked at no closer; cheap enough to ask again and again. */
    static long count(String kind, Path file) throws IOException {
        String start = "{\"event\":\"" + kind + '"';
        return Files.exists(file)
                ? Files.readString(file)
                        .lines()
                        .filter(line -> line.startsWith(start) && line.endsWith("}"))
                        .distinct()
                        .count()
                : 0;
    }

    /** This event, which the schema allows. */
    static JsonNode valid(JsonNode event) {
        assertEquals(Set.of(), SCHEMA.validate(event), event::toString);
        return event;
    }

    /** Those of this kind. */
    static List<JsonNode> of(String kind, List<JsonNode> events) {
        return events.stream().filter(event -> kind(event).equals(kind)).toList();
    }

    /** Those of this device. */
    static List<JsonNode> ofDevice(String device, List<JsonNode> events) {
        return events.stream()
                .filter(event -> event.path("device").asText().equals(device))
                .toList();
    }

    static String kind(JsonNode event) {
        return event.get("event").asText();
    }
}
