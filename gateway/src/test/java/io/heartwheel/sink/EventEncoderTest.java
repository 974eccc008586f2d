package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.TraceSegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventEncoderTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EventEncoder encoder = new EventEncoder();

    @Test
    void append_ofAnInstance_namesItLast() {
        encoder.nameInstance("1");
        assertTrue(encoder.append(Events.connected("acme")));

        String line = StandardCharsets.UTF_8.decode(encoder.lines()).toString();
        assertTrue(line.endsWith(",\"instance\":\"1\"}\n"), line);
    }

    @Test
    void append_connected_isOneLine() {
        assertEquals(
                "{\"event\":\"connected\",\"device\":\"sensor/42\",\"session\":7,\"epoch\":1700000000000001,"
                        + "\"sequence\":1,\"at\":\"2026-01-01T00:00:00.007Z\",\"protocol\":\"heartwheel\",\"remote\":\"10.0.0.1:5000\","
                        + "\"client\":\"acme-fw/2.1\",\"interval_ms\":60000}\n",
                line(Events.connected("acme-fw/2.1")));
    }

    @Test
    void append_stretch_tellsTimesAndNothingElse() {
        assertEquals(
                "{\"trace\":52033,\"connection\":7,\"protocol\":\"heartwheel\",\"connected_ms\":1200,\"from_ms\":31500,"
                        + "\"interval_ms\":30000,\"grace\":150,\"reads_ms\":[3,27000,27001],"
                        + "\"ended_ms\":130504,\"ended\":\"heartbeat_timeout\"}\n",
                line(Events.traceSegment()));
        TraceSegment open = new TraceSegment(Events.AT, 1, 2, "plain", 3, 3, 0, 150, new int[0], 0, null);
        assertEquals(
                "{\"trace\":1,\"connection\":2,\"protocol\":\"plain\",\"connected_ms\":3,\"from_ms\":3,"
                        + "\"interval_ms\":0,\"grace\":150,\"reads_ms\":[]}\n",
                line(open));
    }

    @Test
    void append_disconnected_tellsAllThatWasKnownOnce() throws Exception {
        JsonNode told = JSON.readTree(line(Events.disconnected(CloseReason.HEARTBEAT_TIMEOUT)));

        assertEquals(
                JSON.readTree(
                        """
                        {"event": "disconnected", "device": "sensor/42", "session": 7, "epoch": 1700000000000001,
                         "sequence": 3, "at": "2026-01-01T00:00:00.007Z", "text": "%s", "reason": "heartbeat_timeout", "code": 4001, "open_ms": 120000,
                         "cause": "silent for 90.0 s",
                         "protocol": "heartwheel", "remote": "10.0.0.1:5000", "client": "acme-fw/2.1", "established": true,
                         "deadline": {"kind": "heartbeat", "origin": "asked", "timeout_ms": 90000, "interval_ms": 60000, "grace": 1.5,
                                      "due_in_ms": -2},
                         "traffic": {"last_byte_in_ms_ago": 90001, "last_frame_in_ms_ago": 90001, "last_frame_in": "PING",
                                     "last_frame_out_ms_ago": 29900, "last_frame_out": "PING", "pending_bytes": 0, "unfinished_bytes": 0,
                                     "reading_paused": false},
                         "probes": {"sent": 2, "answered": 1, "unanswered_ms_ago": 29900, "round_trip_us": [41000]},
                         "path": {"round_trip_us": 40100, "round_trip_variance_us": 2000, "retransmits": 3, "total_retransmits": 5,
                                  "unacked_segments": 1, "unsent_bytes": 0, "last_data_in_ms_ago": 90000, "last_ack_in_ms_ago": 90000, "acknowledged_bytes": 4711},
                         "timing": {"silent_ms": 90001, "lateness_ms": 1.5, "credit_ms": 0, "scheduled_tick": 9000, "actual_tick": 9001,
                                    "loop_lag_ms": 1, "suspect": false}}
                        """
                                .formatted(Events.evidence(CloseReason.HEARTBEAT_TIMEOUT)
                                        .text())),
                told);
    }

    @Test
    void append_disconnected_hasTheShapeThatTheOperatorIsTold() throws Exception {
        Evidence close = Events.evidence(CloseReason.HEARTBEAT_TIMEOUT);
        ObjectNode event = (ObjectNode) JSON.readTree(line(new Disconnected(close, 3)));
        event.remove(List.of("event", "sequence"));

        assertEquals(FactJsonTest.told(close), event);
    }

    @Test
    void append_disconnectedOfLittle_leavesOutWhatIsNot() throws Exception {
        JsonNode told = JSON.readTree(line(new Disconnected(FactJsonTest.bare(), 3)));

        assertEquals(
                JSON.readTree(
                        """
                        {"event": "disconnected", "session": 3, "epoch": 0, "sequence": 3, "at": "2026-01-01T00:00:00.007Z",
                         "text": "closed as peer_reset, after 0.0 s; no frame ever came", "reason": "peer_reset", "open_ms": 4,
                         "protocol": "handshake", "remote": "unknown", "client": "", "established": false,
                         "traffic": {"pending_bytes": 0, "unfinished_bytes": 0, "reading_paused": false},
                         "probes": {"sent": 0, "answered": 0, "round_trip_us": []},
                         "timing": {"silent_ms": 0, "actual_tick": 3, "loop_lag_ms": 0, "suspect": false}}
                        """),
                told);
    }

    @Test
    void append_refused_tellsTheClaimAndHowManyMore() throws Exception {
        JsonNode one = JSON.readTree(line(Events.refused(0)));
        assertEquals("refused", one.get("event").asText());
        assertEquals("sensor/42", one.get("claimed_device").asText());
        assertFalse(one.has("device"), "who claims an id need not be the device");
        assertEquals(4_401, one.get("code").asInt());
        assertFalse(one.has("unreported"));

        JsonNode ofMany = JSON.readTree(line(Events.refused(6_436)));
        assertEquals(6_436, ofMany.get("unreported").asLong());
    }

    @Test
    void append_incident_isALineOfItsOwn() {
        assertEquals(
                "{\"event\":\"incident\",\"at\":\"2026-01-01T00:00:00.007Z\",\"number\":1,\"state\":\"ended\",\"lasted_ms\":42000,"
                        + "\"scopes\":[\"all\",\"listener tcp\"],\"expired\":1200,\"connections\":10000,\"suspects\":900,\"absolved\":850,"
                        + "\"closed\":40,\"left\":10}\n",
                line(Events.incident(true)));
        assertTrue(line(Events.incident(false)).contains("\"state\":\"begun\""));
    }

    @Test
    void append_gap_tellsWhatIsMissingByKind() {
        Gap gap = new Gap(Events.AT + 2_000, Events.AT, Events.AT + 1_000, Map.of("data", 3L, "connected", 186L));
        assertEquals(
                "{\"event\":\"gap\",\"at\":\"2026-01-01T00:00:02.007Z\",\"from\":\"2026-01-01T00:00:00.007Z\","
                        + "\"to\":\"2026-01-01T00:00:01.007Z\",\"lost\":{\"connected\":186,\"data\":3}}\n",
                line(gap));
    }

    @Test
    void append_reasonThatIsNeverSent_hasNoCode() throws Exception {
        assertFalse(
                JSON.readTree(line(Events.disconnected(CloseReason.PEER_RESET))).has("code"));
    }

    @Test
    void append_textWithEverything_parsesBack() throws Exception {
        String text = "line\nbreak \"quote\" back\\slash \u0000 \u2028 grüße \uD83D\uDE00 {}";
        String line = line(Events.text(258, text));

        assertEquals(1, line.lines().count());
        assertEquals(text, JSON.readTree(line).get("text").asText());
        assertEquals(258, JSON.readTree(line).get("id").asLong());
        assertFalse(JSON.readTree(line).has("base64"));
    }

    @Test
    void append_halfACharacter_isStillJson() throws Exception {
        assertEquals(
                "\uD800",
                JSON.readTree(line(Events.connected("\uD800"))).get("client").asText());
    }

    @Test
    void append_bytes_areBase64() throws Exception {
        byte[] payload = new byte[1_000];
        new Random(42).nextBytes(payload);
        JsonNode told = JSON.readTree(line(Events.binary(0, payload)));

        assertArrayEquals(payload, told.get("base64").binaryValue());
        assertFalse(told.has("text"));
        assertEquals(
                "AP8=",
                JSON.readTree(line(Events.binary(0, (byte) 0, (byte) 255)))
                        .get("base64")
                        .asText());
        assertEquals("", JSON.readTree(line(Events.binary(0))).get("base64").asText());
    }

    @Test
    void append_idsBeyondWhatADoubleHolds_areStrings() throws Exception {
        assertTrue(line(Events.binary((1L << 53) - 1)).contains("\"id\":9007199254740991,"));
        assertTrue(line(Events.binary(1L << 53)).contains("\"id\":\"9007199254740992\","));
        assertTrue(line(Events.binary(-1)).contains("\"id\":\"18446744073709551615\","));
        Identity far = new Identity("d", 1L << 60, Long.MAX_VALUE);
        String line = line(new ConnectionEvent.Message(far, 2, Events.AT, 1, false, new byte[0]));
        assertTrue(line.contains("\"session\":\"1152921504606846976\",\"epoch\":\"9223372036854775807\","), line);
    }

    @Test
    void append_whatUnicodeCallsALineEnd_isEscapedWhereverItStands() throws Exception {
        String text = "\u0085a\u2028b\u2029c\u00C2\u2027\u202A\u0086d\u0085";
        for (Fact event : List.of(Events.text(1, text), Events.text(1, "\u0085"), Events.connected(text))) {
            String line = line(event);
            assertTrue(line.chars().noneMatch(c -> c == 0x85 || c == 0x2028 || c == 0x2029), line);
        }
        assertEquals(text, JSON.readTree(line(Events.text(1, text))).get("text").asText());
        assertEquals(
                text, JSON.readTree(line(Events.connected(text))).get("client").asText());
    }

    @Test
    void append_textThatOnlyResemblesALineEnd_isWrittenAsItIs() {
        String text = "\u00C5\u0105\u20A8\u2128\u3028\uA028";
        assertTrue(line(Events.text(1, text)).contains('"' + text + '"'));
    }

    @Test
    void append_timesOneAfterAnother_areEachTheirOwn() throws Exception {
        for (long at :
                new long[] {0, 1_000, 1_767_225_600_999L, 1_767_225_601_000L, 1_767_225_600_010L, 253_402_300_799_999L
                }) {
            var event = new ConnectionEvent.Message(Events.DEVICE, 2, at, 0, false, new byte[0]);
            String told = JSON.readTree(line(event)).get("at").asText();

            assertEquals(at, java.time.Instant.parse(told).toEpochMilli(), told);
            assertEquals(Timestamp.LENGTH, told.length());
        }
    }

    @Test
    void append_whatJsonCannotTell_leavesNothingBehind() throws Exception {
        var broken = new Connected(new Identity("x".repeat(20_000), 1, 1), Events.AT, "plain", "", null, "", 1);
        assertTrue(encoder.append(Events.text(1, "before")));
        int before = encoder.size();

        assertFalse(encoder.append(broken));

        assertEquals(before, encoder.size());
        assertTrue(encoder.append(Events.text(2, "after")));
        assertEquals(List.of("before", "after"), texts());
    }

    @Test
    void clear_afterLargePayload_startsEmpty() throws Exception {
        assertTrue(encoder.append(Events.text(1, "x".repeat(3 << 20))));
        encoder.clear();
        assertTrue(encoder.append(Events.text(2, "small")));

        assertEquals(List.of("small"), texts());
    }

    private List<String> texts() throws Exception {
        String all = StandardCharsets.UTF_8.decode(encoder.lines()).toString();
        assertTrue(all.endsWith("\n"));
        return all.lines().map(EventEncoderTest::text).toList();
    }

    private static String text(String line) {
        try {
            return JSON.readTree(line).get("text").asText();
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(line, e);
        }
    }

    private String line(Fact event) {
        encoder.clear();
        assertTrue(encoder.append(event));
        return StandardCharsets.UTF_8.decode(encoder.lines()).toString();
    }
}
