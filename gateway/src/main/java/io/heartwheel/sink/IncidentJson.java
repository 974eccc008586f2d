package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.event.Incident;
import java.io.IOException;

/**
 * {@link Incident} as JSON, the same wherever it is told: in events and by the operator's HTTP.
 *
 * <pre>
 *   {"at":"2026-01-01T00:00:00.000Z","number":1,"state":"begun","lasted_ms":0,"scopes":["all","listener tcp"],"expired":1200,
 *    "connections":10000,"suspects":0,"absolved":0,"closed":0,"left":0}
 * </pre>
 *
 * {@code state} is {@code begun} or {@code ended}; {@code expired} and {@code connections} are those of its begin, the other counts those until now.
 *
 * <p>Any thread; whoever calls owns the generator.
 */
public final class IncidentJson {
    private IncidentJson() {}

    /** All of it, as one object. */
    public static void write(Incident incident, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeFieldName("at");
        json.writeString(new Timestamp().of(incident.atEpochMillis()), 0, Timestamp.LENGTH);
        writeFields(incident, json);
        json.writeEndObject();
    }

    /** All but the time, into an object begun. */
    static void writeFields(Incident incident, JsonGenerator json) throws IOException {
        json.writeNumberField("number", incident.number());
        json.writeStringField("state", incident.ended() ? "ended" : "begun");
        json.writeNumberField("lasted_ms", incident.lastedMillis());
        json.writeArrayFieldStart("scopes");
        for (String scope : incident.failureGroups()) {
            json.writeString(scope);
        }
        json.writeEndArray();
        json.writeNumberField("expired", incident.expired());
        json.writeNumberField("connections", incident.connections());
        json.writeNumberField("suspects", incident.suspects());
        json.writeNumberField("absolved", incident.absolved());
        json.writeNumberField("closed", incident.closed());
        json.writeNumberField("left", incident.left());
    }
}
