package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.Incarnation;
import io.heartwheel.event.Incident;
import io.heartwheel.event.NodeDown;
import io.heartwheel.event.Snapshot;
import io.heartwheel.event.TraceSegment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * Events as JSON Lines in a buffer of its own, one object a line. {@code gateway/docs/events.md} has every field, and {@code EventsDocumentTest}
 * compares the two.
 *
 * <p>A {@link TraceSegment} has a file of its own and no {@code event}; {@code gateway/docs/trace.md} says what each of its fields means:
 *
 * <pre>
 *   {"trace":52033,"connection":7,"protocol":"heartwheel","connected_ms":1200,"from_ms":1200,"interval_ms":30000,"grace":150,
 *    "reads_ms":[3,27000,27001],"ended_ms":100204,"ended":"heartbeat_timeout"}
 * </pre>
 *
 * The last two stand in a connection's last stretch only.
 *
 * <p>A {@code connected} tells the newest snapshot that had begun before it, so that who is not in a later one is known to be gone, without a clock. One thread.
 */
final class EventEncoder {
    private static final int KEPT_BYTES = 1 << 20;

    private static final String LOST_TEXT =
            "lost with the gateway, which ended without telling what became of it; the device has not come back in time";

    private static final String NODE_LOST_TEXT =
            "lost with node %s, which is gone or stands still; the device has not come back in time";
    private static final String NODE_ENDED_TEXT = "left behind by node %s, which ended in order";

    private static final JsonFactory JSON = JsonRules.factory();

    /** A byte array that grows, and can be looked into and cut. */
    private static final class Lines extends ByteArrayOutputStream {
        Lines() {
            super(64 << 10);
        }

        void cutTo(int length) {
            count = length;
        }

        ByteBuffer view() {
            return ByteBuffer.wrap(buf, 0, count);
        }

        void empty() {
            count = 0;
            if (buf.length > KEPT_BYTES) {
                buf = new byte[64 << 10];
            }
        }
    }

    private final Lines lines = new Lines();
    private final Timestamp timestamp = new Timestamp();
    private JsonGenerator json = generator();
    private final String instance;
    private final long incarnation;
    private long begunSnapshot;

    /**
     * @param instance name in each event; empty: none
     * @param incarnation number in each event, but for those of an earlier one; 0: none
     */
    EventEncoder(String instance, long incarnation) {
        this.instance = instance;
        this.incarnation = incarnation;
    }

    /** Adds a line; false, and nothing added, if the event cannot be told in JSON. */
    boolean append(Fact event) {
        int start = lines.size();
        try {
            encode(event);
            json.flush();
            lines.write('\n');
            return true;
        } catch (IOException | RuntimeException e) {
            // an event that breaks its own contract costs itself only; what stands in the generator is no longer of use
            json = generator();
            lines.cutTo(start);
            return false;
        }
    }

    /** Bytes of all lines added since {@link #clear}. */
    int size() {
        return lines.size();
    }

    /** All lines added since {@link #clear}, until then; shares the encoder's memory. */
    ByteBuffer lines() {
        return lines.view();
    }

    /** Starts anew, with nothing left of a line that was not finished. */
    void clear() {
        lines.empty();
        if (!json.getOutputContext().inRoot()) {
            json = generator();
        }
    }

    private void encode(Fact fact) throws IOException {
        json.writeStartObject();
        if (fact instanceof TraceSegment segment) {
            stretch(segment);
        } else {
            json.writeStringField("event", label(fact));
            event(fact);
            long number = incarnationOf(fact);
            if (number != 0) {
                json.writeNumberField("incarnation", number);
            }
            if (!instance.isEmpty()) {
                json.writeStringField("instance", instance);
            }
        }
        json.writeEndObject();
    }

    private void event(Fact event) throws IOException {
        if (event instanceof ConnectionEvent.Ended ended) {
            FactJson.writeFields(ended.evidence(), ended.sequence(), json, timestamp);
            if (ended instanceof ConnectionEvent.Refused refused && refused.unreported() > 0) {
                json.writeNumberField("unreported", refused.unreported());
            }
            return;
        }
        if (event instanceof ConnectionEvent of) {
            json.writeStringField("device", of.identity().deviceId());
            FactJson.writeSession(of.identity(), of.sequence(), json);
        }
        timestamp.write("at", event.atEpochMillis(), json);
        if (event instanceof ConnectionEvent.Message message) {
            payload(message);
        } else if (event instanceof ConnectionEvent.Connected connected) {
            if (begunSnapshot != 0) {
                json.writeNumberField("snapshot", begunSnapshot);
            }
            FactJson.writePeer(connected.protocol(), connected.remote(), connected.via(), connected.clientName(), json);
            json.writeNumberField("interval_ms", connected.grantedIntervalMillis());
            FactJson.writeGrant(connected.groups(), connected.attributes(), json);
        } else if (event instanceof ConnectionEvent other) {
            presence(other);
        } else if (event instanceof Incident incident) {
            FactJson.writeFields(incident, json);
        } else if (event instanceof NodeDown down) {
            json.writeStringField("text", "node " + down.node() + " is lost");
            writeNode(down.node(), down.nodeIncarnation());
            json.writeNumberField("silent_ms", down.silentMillis());
        } else if (event instanceof Gap gap) {
            gap(gap);
        } else if (event instanceof Incarnation start) {
            start(start);
        } else if (event instanceof Snapshot snapshot) {
            begunSnapshot = Math.max(begunSnapshot, snapshot.number());
            json.writeNumberField("snapshot", snapshot.number());
            json.writeStringField("state", snapshot.ended() ? "ended" : "begun");
            json.writeStringField("cause", snapshot.cause().label());
            json.writeNumberField("devices", snapshot.devices());
        }
    }

    /** The one it belongs to; 0: none. */
    private long incarnationOf(Fact fact) {
        if (fact instanceof ConnectionEvent.Lost lost) {
            return lost.incarnation();
        }
        return fact instanceof Incarnation start ? start.number() : incarnation;
    }

    /** The name of its kind. */
    static String label(Fact fact) {
        EventKind kind = fact.kind();
        return kind == null ? "stretch" : kind.label();
    }

    private void presence(ConnectionEvent event) throws IOException {
        if (event instanceof ConnectionEvent.Recovered recovered) {
            json.writeNumberField("held_ms", recovered.heldMillis());
        } else if (event instanceof ConnectionEvent.Present present) {
            json.writeNumberField("snapshot", present.snapshot());
            FactJson.writePeer(present.protocol(), present.remote(), present.via(), present.clientName(), json);
            json.writeNumberField("interval_ms", present.grantedIntervalMillis());
            json.writeNumberField("open_ms", present.openMillis());
            FactJson.writeGrant(present.groups(), present.attributes(), json);
        } else if (event instanceof ConnectionEvent.IdConflict conflict) {
            json.writeStringField("text", conflict.text());
            json.writeStringField("remote", conflict.remote());
            json.writeStringField("rival", conflict.rival());
        } else if (event instanceof ConnectionEvent.Lost lost) {
            json.writeStringField("text", LOST_TEXT);
            json.writeStringField("reason", CloseReason.GATEWAY_LOST.label());
            timestamp.write("connected_at", lost.connectedAtEpochMillis(), json);
        } else if (event instanceof ConnectionEvent.NodeLost lost) {
            boolean ended = lost.reason() == CloseReason.NODE_ENDED;
            json.writeStringField("text", String.format(ended ? NODE_ENDED_TEXT : NODE_LOST_TEXT, lost.node()));
            json.writeStringField("reason", lost.reason().label());
            writeNode(lost.node(), lost.nodeIncarnation());
        }
    }

    private void writeNode(String name, long nodeIncarnation) throws IOException {
        json.writeStringField("node", name);
        JsonRules.writeId("node_incarnation", nodeIncarnation, json);
    }

    private void start(Incarnation start) throws IOException {
        json.writeNumberField("number", start.number());
        if (start.previous() != 0) {
            json.writeNumberField("previous", start.previous());
            json.writeBooleanField("previous_ended", start.previousEnded());
        }
        json.writeStringField("version", start.version());
    }

    private void gap(Gap gap) throws IOException {
        timestamp.write("from", gap.fromEpochMillis(), json);
        timestamp.write("to", gap.toEpochMillis(), json);
        json.writeObjectFieldStart("lost");
        for (Map.Entry<String, Long> each : new TreeMap<>(gap.lost()).entrySet()) {
            json.writeNumberField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    private void stretch(TraceSegment segment) throws IOException {
        json.writeNumberField("trace", segment.trace());
        json.writeNumberField("connection", segment.connection());
        json.writeStringField("protocol", segment.protocol());
        json.writeNumberField("connected_ms", segment.connectedMillis());
        json.writeNumberField("from_ms", segment.fromMillis());
        json.writeNumberField("interval_ms", segment.intervalMillis());
        json.writeNumberField("grace", segment.graceHundredths());
        json.writeFieldName("reads_ms");
        json.writeArray(segment.readsMillis(), 0, segment.readsMillis().length);
        CloseReason ended = segment.ended();
        if (ended != null) {
            json.writeNumberField("ended_ms", segment.endedMillis());
            json.writeStringField("ended", ended.label());
        }
    }

    private void payload(ConnectionEvent.Message message) throws IOException {
        byte[] payload = message.payload();
        JsonRules.writeId("id", message.messageId(), json);
        if (message.text()) {
            json.writeFieldName("text");
            JsonRules.writeText(payload, json);
        } else {
            json.writeBinaryField("base64", payload);
        }
    }

    @SuppressWarnings("NullAway") // no separator: each line ends itself
    private JsonGenerator generator() {
        try {
            return JSON.createGenerator(lines).setRootValueSeparator(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
