package io.heartwheel.outlet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

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

    private static final int ENVELOPE_BYTES = 512;
    private static final JsonFactory JSON = new JsonFactory();

    private final String instance;

    /** @param instance name of this gateway; empty: it has none */
    public CloudEvent(String instance) {
        this.instance = instance;
    }

    /** Name of this gateway, may be empty. */
    public String instance() {
        return instance;
    }

    /** The attributes of an event but for {@code datacontenttype}, which is {@code application/json}. */
    public Map<String, String> attributes(OutletEvent event) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("specversion", "1.0");
        all.put("id", event.id());
        all.put("source", instance.isEmpty() ? "/heartwheel" : "/heartwheel/" + instance);
        all.put("type", "io.heartwheel." + event.kind().label());
        if (!event.device().isEmpty()) {
            all.put("subject", event.device());
            all.put("partitionkey", event.device());
        }
        all.put("time", Instant.ofEpochMilli(event.atEpochMillis()).toString());
        return all;
    }

    /** An event in JSON. */
    public byte[] encode(OutletEvent event) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(event.json().length + ENVELOPE_BYTES);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            for (Map.Entry<String, String> each : attributes(event).entrySet()) {
                json.writeStringField(each.getKey(), each.getValue());
            }
            json.writeStringField("datacontenttype", "application/json");
            json.writeFieldName("data");
            json.writeRawValue(new String(event.json(), StandardCharsets.UTF_8));
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("event " + event.number(), e);
        }
        return out.toByteArray();
    }
}
