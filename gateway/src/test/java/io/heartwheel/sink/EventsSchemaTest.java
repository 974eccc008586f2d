package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Message;
import io.heartwheel.event.Events;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Snapshot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every event that the encoder makes against the schema that consumers are given. */
class EventsSchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchema SCHEMA = schema();

    private static JsonSchema schema() {
        try {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(JSON.readTree(Files.readString(Path.of("docs/events.schema.json"))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode event(Fact fact, boolean named) throws IOException {
        EventEncoder encoder = new EventEncoder(named ? "1" : "", 4);
        if (named) {
            encoder.append(new Snapshot(Events.AT, 1, false, Snapshot.Cause.ASKED, 0));
            encoder.clear();
        }
        encoder.append(fact);
        return JSON.readTree(StandardCharsets.UTF_8.decode(encoder.lines()).toString());
    }

    private static void assertValid(Fact fact) throws IOException {
        for (boolean named : new boolean[] {false, true}) {
            JsonNode event = event(fact, named);
            assertEquals(Set.of(), SCHEMA.validate(event), event::toString);
            JsonNode ofAnOutlet = ((ObjectNode) event).put("event_id", "9f2c41d07be3a855-4711");
            assertEquals(Set.of(), SCHEMA.validate(ofAnOutlet), ofAnOutlet::toString);
        }
    }

    private static final Set<CloseReason> TOLD_OTHERWISE =
            Set.of(CloseReason.TAKEN_OVER, CloseReason.GATEWAY_LOST, CloseReason.NODE_LOST, CloseReason.NODE_ENDED);

    static Stream<Fact> all() {
        return Stream.concat(
                EventsDocumentTest.examples(),
                EventsDocumentTest.kinds()
                        .flatMap(kind -> Stream.concat(
                                EventsDocumentTest.fullest(kind).stream(), EventsDocumentTest.barest(kind).stream())));
    }

    @ParameterizedTest
    @MethodSource("all")
    void event_ofEachKind_isValid(Fact fact) throws Exception {
        assertValid(fact);
    }

    @Test
    void event_ofEveryReason_isValid() throws Exception {
        for (CloseReason reason : CloseReason.all()) {
            if (!TOLD_OTHERWISE.contains(reason)) {
                assertValid(new Disconnected(Events.evidence(reason), 3));
            }
        }
    }

    @Test
    void event_withLargeIds_isValid() throws Exception {
        for (long id : new long[] {0, 1, (1L << 53) - 1, 1L << 53, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            assertValid(new Message(new Identity("d", id, id), 0xFFFF_FFFFL, Events.AT, id, false, new byte[0]));
        }
    }

    /** Whatever field of whatever event is missing, of another type or beyond the page. */
    @ParameterizedTest
    @MethodSource("all")
    void event_withAWrongField_isNotValid(Fact fact) throws Exception {
        ObjectNode event = (ObjectNode) event(fact, true);
        Set<String> names = event.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
        for (String name : names) {
            ObjectNode wrong = event.deepCopy();
            wrong.putArray(name).add(true);
            assertInvalid(wrong);
            wrong.putNull(name);
            assertInvalid(wrong);
        }
        assertInvalid(event.deepCopy().put("more", 1));
        assertInvalid(event.deepCopy().put("event", "other"));
        assertInvalid(event.deepCopy().without("at"));
        assertInvalid(event.deepCopy().put("at", "2026-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"device", "session", "epoch", "sequence", "reason", "text", "traffic", "timing"})
    void disconnected_withoutAFieldThatIsAlwaysThere_isNotValid(String name) throws Exception {
        ObjectNode event = (ObjectNode) event(Events.disconnected(CloseReason.HEARTBEAT_TIMEOUT), false);
        assertEquals(Set.of(), SCHEMA.validate(event));
        event.remove(name);
        assertInvalid(event);
    }

    @Test
    void disconnected_takenOver_isNotValid() throws Exception {
        assertInvalid(event(Events.disconnected(CloseReason.TAKEN_OVER), false));
    }

    private static void assertInvalid(JsonNode event) {
        assertFalse(SCHEMA.validate(event).isEmpty(), event::toString);
    }
}
