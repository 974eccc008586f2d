package io.heartwheel.outlet.kafka;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.heartwheel.event.EventKind;
import io.heartwheel.outlet.OutletEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/**
 * Stand-in for an event that is larger than its receiver takes: a {@code gap} that has lost one, with the same id, of the same device, at the
 * same place. So nothing is missing without a word, and nothing behind it waits for ever. Any thread.
 */
final class OversizedEvent {
    private static final JsonFactory JSON = new JsonFactory();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'");
    /** Fields that an event has whatever its kind. */
    private static final Set<String> COMMON = Set.of("instance", "incarnation");

    private OversizedEvent() {}

    /** The gap in its place: the same whenever it is made. */
    static OutletEvent gap(OutletEvent lost) {
        String at = TIME.format(Instant.ofEpochMilli(lost.atEpochMillis()).atZone(ZoneOffset.UTC));
        ByteArrayOutputStream object = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(object)) {
            json.writeStartObject();
            json.writeStringField("event", EventKind.GAP.label());
            json.writeStringField("at", at);
            json.writeStringField("from", at);
            json.writeStringField("to", at);
            json.writeObjectFieldStart("lost");
            json.writeNumberField(lost.kind().label(), 1);
            json.writeEndObject();
            copyCommon(lost.json(), json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("event " + lost.number() + " is not a JSON object", e);
        }
        return new OutletEvent(
                lost.id(), lost.number(), EventKind.GAP, lost.atEpochMillis(), lost.device(), object.toByteArray());
    }

    private static void copyCommon(byte[] object, JsonGenerator to) throws IOException {
        try (JsonParser from = JSON.createParser(object)) {
            from.nextToken();
            while (from.nextToken() == JsonToken.FIELD_NAME) {
                boolean common = COMMON.contains(from.currentName());
                JsonToken value = from.nextToken();
                if (common && value.isScalarValue()) {
                    to.writeFieldName(from.currentName());
                    to.copyCurrentEvent(from);
                } else {
                    from.skipChildren();
                }
            }
        }
    }
}
