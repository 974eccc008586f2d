package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The API's document: what OpenAPI 3.1 asks of one, and admin.md beside it. */
class OpenApiTest {
    private static final Pattern ROW = Pattern.compile(
            "(?m)^\\| `(GET|POST|PUT|DELETE) ([^`?]+)(?:\\?([^`]*))?` \\| (none|read|send|operate) \\|");
    private static final Pattern VARIABLE = Pattern.compile("\\{([a-z_]+)}");

    private final AnswerSchemas served = AnswerSchemas.ofThisGateway();

    @Test
    void document_served_isWellFormed() {
        JsonNode document = served.document();
        assertEquals("3.1.0", document.path("openapi").asText());
        assertEquals("0.1.0", document.at("/info/version").asText());
        assertFalse(document.at("/info/title").asText().isEmpty());
        assertEquals(List.of(), served.lost());
        for (JsonNode schema : served.all()) {
            assertEquals(Set.of(), AnswerSchemas.faults(schema), schema::toString);
        }
    }

    @Test
    void document_everyOperation_hasWhatItNeeds() {
        Set<String> ids = new HashSet<>();
        served.document().path("paths").properties().forEach(path -> {
            assertTrue(path.getKey().startsWith("/"));
            for (JsonNode operation : path.getValue()) {
                String id = operation.path("operationId").asText();
                assertTrue(ids.add(id), id);
                assertTrue(operation.path("summary").asText().endsWith("."), id);
                assertFalse(operation.path("responses").isEmpty(), id);
                operation
                        .path("responses")
                        .forEach(answer -> assertTrue(answer.has("description") || answer.has("$ref"), id));
                assertEquals(variables(path.getKey()), names(operation, "path"), id);
            }
        });
        assertEquals(41, ids.size());
    }

    @Test
    void document_scopes_areNoneForHealthAlone() throws Exception {
        Set<String> open = new TreeSet<>();
        served.document().path("paths").properties().forEach(path -> path.getValue()
                .forEach(operation -> {
                    if (operation.path("security").isEmpty()) {
                        open.add(path.getKey());
                    }
                }));
        assertEquals(Set.of("/healthz", "/readyz"), open);
    }

    @Test
    void adminDocument_table_isTheRoutes() throws Exception {
        Set<String> told = ROW.matcher(Files.readString(Path.of("docs/admin.md")))
                .results()
                .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(4) + " "
                        + queryOf(row.group(3) == null ? "" : row.group(3)))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> routes = new TreeSet<>();
        served.document().path("paths").properties().forEach(path -> path.getValue()
                .properties()
                .forEach(operation -> routes.add(operation.getKey().toUpperCase(Locale.ROOT) + " "
                        + path.getKey()
                        + " " + operation.getValue().at("/security/0/bearer/0").asText("none") + " "
                        + names(operation.getValue(), "query"))));
        assertEquals(String.join("\n", routes), String.join("\n", told));
    }

    private static Set<String> queryOf(String query) {
        return Pattern.compile("([a-z_]+)=")
                .matcher(query)
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> variables(String path) {
        return VARIABLE.matcher(path)
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(JsonNode operation, String place) {
        return StreamSupport.stream(operation.path("parameters").spliterator(), false)
                .filter(parameter -> parameter.path("in").asText().equals(place))
                .map(parameter -> parameter.path("name").asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
