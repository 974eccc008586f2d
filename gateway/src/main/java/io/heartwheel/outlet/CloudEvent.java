package io.heartwheel.outlet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Events in the JSON form of CloudEvents 1.0, with the object of {@code gateway/docs/events.md} as data.
 *
 * <pre>
 *   {"specversion":"1.0","id":"9f2c41d07be3a855-4711","source":"/heartwheel/a","type":"io.heartwheel.connected","subject":"sensor/42",
 *    "partitionkey":"sensor/42","time":"2026-01-01T00:00:00.007Z","datacontenttype":"application/json","data":{...}}
 * </pre>
 *
 * Without a device there is no {@code subject} and no {@code partitionkey}. Immutable; any thread.
 */
public final class CloudEvent {
    /** Media type of one event. */
    public static final String MEDIA_TYPE = "application/cloudevents+json; charset=UTF-8";

    /** Media type of an array of them. */
    public static final String BATCH_MEDIA_TYPE = "application/cloudevents-batch+json; charset=UTF-8";

    private static final JsonFactory JSON = new JsonFactory();

    private final String source;

    /** @param instance name of this gateway; empty: it has none */
    public CloudEvent(String instance) {
        source = instance.isEmpty() ? "/heartwheel" : "/heartwheel/" + instance;
    }

    /** Writes an event; does not close the stream. */
    public void write(OutletEvent event, OutputStream out) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            json.writeStartObject();
            json.writeStringField("specversion", "1.0");
            json.writeStringField("id", event.id());
            json.writeStringField("source", source);
            json.writeStringField("type", "io.heartwheel." + event.kind().label());
            if (!event.device().isEmpty()) {
                json.writeStringField("subject", event.device());
                json.writeStringField("partitionkey", event.device());
            }
            json.writeStringField(
                    "time", Instant.ofEpochMilli(event.atEpochMillis()).toString());
            json.writeStringField("datacontenttype", "application/json");
            json.writeFieldName("data");
            json.writeRawValue(new String(event.json(), StandardCharsets.UTF_8));
            json.writeEndObject();
        }
    }
}
