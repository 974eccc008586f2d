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
import io.heartwheel.event.TraceSegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines of events; what each kind consists of is proven by {@link EventsDocumentTest}. */
class EventEncoderTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EventEncoder encoder = new EventEncoder("", 0);

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
    void append_disconnected_hasTheShapeThatTheOperatorIsTold() throws Exception {
        Evidence close = Events.evidence(CloseReason.HEARTBEAT_TIMEOUT);
        ObjectNode event = (ObjectNode) JSON.readTree(line(new Disconnected(close, 3)));
        event.remove(List.of("event", "sequence"));

        assertEquals(FactJsonTest.told(close), event);
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
