package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Evidence.Certificate;
import io.heartwheel.event.Evidence.Limit;
import io.heartwheel.event.Evidence.Path;
import io.heartwheel.event.Evidence.PeerClose;
import io.heartwheel.event.Evidence.Probes;
import io.heartwheel.event.Evidence.Timing;
import io.heartwheel.event.Evidence.Traffic;
import io.heartwheel.event.Incident;
import io.heartwheel.event.PauseCause;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@link Evidence} and {@link Incident} as JSON, the same fields wherever they are told: in events and by the operator's HTTP.
 *
 * <pre>
 *   {"text":"closed after 90.0 s of silence: ...",
 *    "device":"d1","session":7,"epoch":9,"at":"2026-01-01T00:00:00.000Z","reason":"heartbeat_timeout","code":4001,"open_ms":120000,
 *    "cause":"silent for 90.0 s: ...","protocol":"heartwheel","remote":"10.0.0.1:5000","via":"10.9.0.1:41000","client":"acme-fw/2.1","established":true,
 *    "deadline":{"kind":"heartbeat","origin":"asked","timeout_ms":90000,"interval_ms":60000,"grace":1.5,"due_in_ms":-2},
 *    "traffic":{"last_byte_in_ms_ago":90001,"last_frame_in_ms_ago":90001,"last_frame_in":"PING","last_frame_out_ms_ago":29900,
 *               "last_frame_out":"PING","pending_bytes":0,"unfinished_bytes":0,"reading_paused":false},
 *    "probes":{"sent":2,"answered":1,"unanswered_ms_ago":29900,"round_trip_us":[41000]},
 *    "path":{"round_trip_us":40100,"round_trip_variance_us":2000,"retransmits":3,"total_retransmits":5,"unacked_segments":1,"unsent_bytes":0,
 *            "last_data_in_ms_ago":90000,"last_ack_in_ms_ago":90000},
 *    "timing":{"silent_ms":90001,"lateness_ms":1.5,"credit_ms":0,"scheduled_tick":9000,"actual_tick":9001,"loop_lag_ms":1,"suspect":false},
 *    "successor_session":8}
 * </pre>
 *
 * Words of the peer as it left stand in {@code peer_code} and {@code peer_text}, a certificate that was not accepted in {@code certificate}. An open connection has {@code "open":true} in the place of reason and code. Left out is what is not: the code of a reason that is never on the wire, the
 * cause and the lateness of an open connection, a deadline if none decided, ages of what never happened, a balancer if none stands between, the path where
 * the kernel tells none, a successor. One that never was established has {@code claimed_device} in the place of the device, if it said one. Text of the device's own is escaped by the generator and bounded by the protocol: ids of 128 bytes, client names of 64.
 *
 * <p>An incident, whose {@code expired} and {@code connections} are those of its begin, the other counts those until now:
 *
 * <pre>
 *   {"at":"2026-01-01T00:00:00.000Z","number":1,"state":"begun","lasted_ms":0,"scopes":["all","listener tcp"],"expired":1200,
 *    "connections":10000,"suspects":0,"absolved":0,"closed":0,"left":0}
 * </pre>
 *
 * <p>Any thread; whoever calls owns the generator.
 */
public final class FactJson {
    private FactJson() {}

    /** Groups and attributes of a device, each left out if there is none; attributes in the order of their names. */
    static void writeGrant(List<String> groups, Map<String, String> attributes, JsonGenerator json) throws IOException {
        if (!groups.isEmpty()) {
            texts("groups", groups, json);
        }
        if (!attributes.isEmpty()) {
            json.writeObjectFieldStart("attributes");
            for (Map.Entry<String, String> each : new TreeMap<>(attributes).entrySet()) {
                json.writeStringField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
        }
    }

    /** All of a connection's evidence, as one object that begins with the sentence. */
    public static void write(Evidence evidence, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("text", evidence.text());
        identity(evidence, 0, json, new Timestamp());
        rest(evidence, json);
        json.writeEndObject();
    }

    /**
     * The same fields in an object begun, who and when first as in every event.
     *
     * @param sequence of the event in its session; 0: none
     */
    static void writeFields(Evidence evidence, long sequence, JsonGenerator json, Timestamp timestamp)
            throws IOException {
        identity(evidence, sequence, json, timestamp);
        json.writeStringField("text", evidence.text());
        rest(evidence, json);
    }

    private static void identity(Evidence evidence, long sequence, JsonGenerator json, Timestamp timestamp)
            throws IOException {
        if (evidence.established()) {
            json.writeStringField("device", evidence.identity().deviceId());
        } else {
            name("claimed_device", evidence.claimedDevice(), json);
        }
        writeSession(evidence.identity(), sequence, json);
        timestamp.write("at", evidence.atEpochMillis(), json);
    }

    /** All of a name but the device. */
    static void writeSession(Identity identity, long sequence, JsonGenerator json) throws IOException {
        JsonRules.writeId("session", identity.sessionId(), json);
        JsonRules.writeId("epoch", identity.epoch(), json);
        if (sequence != 0) {
            json.writeNumberField("sequence", sequence);
        }
    }

    /** Where the device is connected from, and by what. */
    static void writePeer(String protocol, String remote, String via, String clientName, JsonGenerator json)
            throws IOException {
        json.writeStringField("protocol", protocol);
        json.writeStringField("remote", remote);
        name("via", via, json);
        json.writeStringField("client", clientName);
    }

    private static void rest(Evidence evidence, JsonGenerator json) throws IOException {
        CloseReason reason = evidence.reason();
        if (reason == null) {
            json.writeBooleanField("open", true);
        } else {
            json.writeStringField("reason", reason.label());
            if (reason.onWire()) {
                json.writeNumberField("code", reason.wireCode());
            }
        }
        json.writeNumberField("open_ms", evidence.openMillis());
        if (!evidence.cause().isEmpty()) {
            json.writeStringField("cause", evidence.cause());
        }
        PeerClose said = evidence.peerClose();
        if (said != null) {
            if (said.code() != 0) {
                json.writeNumberField("peer_code", said.code());
            }
            json.writeStringField("peer_text", said.text());
        }
        certificate(evidence.certificate(), json);
        writePeer(evidence.protocol(), evidence.remote(), evidence.via(), evidence.clientName(), json);
        json.writeBooleanField("established", evidence.established());
        deadline(evidence.limit(), json);
        traffic(evidence.traffic(), json);
        probes(evidence.probes(), json);
        path(evidence.path(), json);
        timing(evidence, json);
        if (evidence.successorSessionId() != 0) {
            JsonRules.writeId("successor_session", evidence.successorSessionId(), json);
        }
        if (!evidence.successorNode().isEmpty()) {
            json.writeStringField("successor_node", evidence.successorNode());
        }
    }

    private static void certificate(@Nullable Certificate shown, JsonGenerator json) throws IOException {
        if (shown == null) {
            return;
        }
        json.writeObjectFieldStart("certificate");
        json.writeStringField("problem", shown.problem().label());
        json.writeStringField("subject", shown.subject());
        json.writeStringField("issuer", shown.issuer());
        json.writeStringField("serial", shown.serial());
        json.writeEndObject();
    }

    private static void deadline(@Nullable Limit limit, JsonGenerator json) throws IOException {
        if (limit == null) {
            return;
        }
        json.writeObjectFieldStart("deadline");
        json.writeStringField("kind", limit.kind().label());
        json.writeStringField("origin", limit.origin().label());
        json.writeNumberField("timeout_ms", limit.timeoutMillis());
        if (limit.intervalMillis() > 0) {
            json.writeNumberField("interval_ms", limit.intervalMillis());
            json.writeNumberField("grace", limit.graceHundredths() / 100.0);
        }
        json.writeNumberField("due_in_ms", limit.dueMillis());
        json.writeEndObject();
    }

    private static void traffic(Traffic traffic, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("traffic");
        age("last_byte_in_ms_ago", traffic.lastByteInMillisAgo(), json);
        age("last_frame_in_ms_ago", traffic.lastFrameInMillisAgo(), json);
        name("last_frame_in", traffic.lastFrameIn(), json);
        age("last_frame_out_ms_ago", traffic.lastFrameOutMillisAgo(), json);
        name("last_frame_out", traffic.lastFrameOut(), json);
        json.writeNumberField("pending_bytes", traffic.pendingBytes());
        json.writeNumberField("unfinished_bytes", traffic.unfinishedBytes());
        json.writeBooleanField("reading_paused", traffic.readingPaused());
        if (traffic.readingPaused()) {
            texts(
                    "paused_by",
                    traffic.pausedBy().stream().map(PauseCause::label).toList(),
                    json);
        }
        json.writeEndObject();
    }

    private static void probes(Probes probes, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("probes");
        json.writeNumberField("sent", probes.sent());
        json.writeNumberField("answered", probes.answered());
        age("unanswered_ms_ago", probes.unansweredMillisAgo(), json);
        json.writeArrayFieldStart("round_trip_us");
        for (int micros : probes.roundTripMicros()) {
            json.writeNumber(micros);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void path(@Nullable Path path, JsonGenerator json) throws IOException {
        if (path == null) {
            return;
        }
        json.writeObjectFieldStart("path");
        json.writeNumberField("round_trip_us", path.roundTripMicros());
        json.writeNumberField("round_trip_variance_us", path.roundTripVarianceMicros());
        json.writeNumberField("retransmits", path.retransmits());
        json.writeNumberField("total_retransmits", path.totalRetransmits());
        json.writeNumberField("unacked_segments", path.unackedSegments());
        json.writeNumberField("unsent_bytes", path.unsentBytes());
        age("last_data_in_ms_ago", path.lastDataInMillisAgo(), json);
        age("last_ack_in_ms_ago", path.lastAckInMillisAgo(), json);
        json.writeNumberField("acknowledged_bytes", path.acknowledgedBytes());
        json.writeEndObject();
    }

    private static void timing(Evidence evidence, JsonGenerator json) throws IOException {
        Timing timing = evidence.timing();
        json.writeObjectFieldStart("timing");
        json.writeNumberField("silent_ms", timing.silentMicros() / 1_000);
        if (evidence.limit() != null) {
            if (evidence.endedByDeadline()) {
                json.writeNumberField("lateness_ms", timing.latenessMicros() / 1e3);
            }
            json.writeNumberField("credit_ms", timing.creditMillis());
            json.writeNumberField("scheduled_tick", timing.scheduledTick());
        }
        json.writeNumberField("actual_tick", timing.actualTick());
        json.writeNumberField("loop_lag_ms", timing.loopLagMillis());
        json.writeBooleanField("suspect", timing.suspect());
        json.writeEndObject();
    }

    /** All of an incident, as one object. */
    public static void write(Incident incident, JsonGenerator json) throws IOException {
        json.writeStartObject();
        new Timestamp().write("at", incident.atEpochMillis(), json);
        writeFields(incident, json);
        json.writeEndObject();
    }

    /** All but the time of it, into an object begun. */
    static void writeFields(Incident incident, JsonGenerator json) throws IOException {
        json.writeNumberField("number", incident.number());
        json.writeStringField("state", incident.ended() ? "ended" : "begun");
        json.writeNumberField("lasted_ms", incident.lastedMillis());
        texts("scopes", incident.failureGroups(), json);
        json.writeNumberField("expired", incident.expired());
        json.writeNumberField("connections", incident.connections());
        json.writeNumberField("suspects", incident.suspects());
        json.writeNumberField("absolved", incident.absolved());
        json.writeNumberField("closed", incident.closed());
        json.writeNumberField("left", incident.left());
    }

    private static void texts(String name, Iterable<String> all, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(name);
        for (String each : all) {
            json.writeString(each);
        }
        json.writeEndArray();
    }

    private static void age(String name, long millisAgo, JsonGenerator json) throws IOException {
        if (millisAgo != Evidence.NEVER) {
            json.writeNumberField(name, millisAgo);
        }
    }

    private static void name(String name, String value, JsonGenerator json) throws IOException {
        if (!value.isEmpty()) {
            json.writeStringField(name, value);
        }
    }
}
