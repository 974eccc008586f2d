package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Evidence.PeerClose;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The full form of evidence; in events it lacks the fields that they have themselves ({@link EventEncoderTest}). */
class FactJsonTest {

    /** Of a connection of which next to nothing is known; a device's if it has an epoch. */
    static Evidence bare(Identity identity, long atEpochMillis, CloseReason reason, @Nullable PeerClose said) {
        boolean established = identity.epoch() != 0;
        return new Evidence(
                identity,
                "",
                established ? "heartwheel" : "handshake",
                "unknown",
                "",
                "",
                established,
                atEpochMillis,
                0,
                reason,
                "",
                said,
                null,
                null,
                new Evidence.Traffic(Evidence.NEVER, Evidence.NEVER, "", Evidence.NEVER, "", 0, 0, List.of()),
                Evidence.Probes.NONE,
                null,
                new Evidence.Timing(0, 0, 0, 0, 0, 0, false),
                0,
                "");
    }

    private static Evidence bare(@Nullable PeerClose said) {
        return bare(new Identity("", 3, 0), Events.AT, CloseReason.PEER_RESET, said);
    }

    static JsonNode told(Evidence evidence) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            FactJson.write(evidence, json);
        }
        return new ObjectMapper().readTree(text.toString());
    }

    @Test
    void write_closed_beginsWithTheSentenceAndTellsWho() throws Exception {
        JsonNode told = told(Events.evidence(CloseReason.HEARTBEAT_TIMEOUT));

        List<String> names = new ArrayList<>();
        told.fieldNames().forEachRemaining(names::add);
        assertEquals(
                List.of("text", "device", "session", "epoch", "at", "reason", "code", "open_ms", "cause"),
                names.subList(0, 9));
        assertFalse(told.has("open"));
    }

    @Test
    void write_whatThePeerSaid_isTold() throws Exception {
        byte[] words = "low\n\u202eyrettab".getBytes(StandardCharsets.UTF_8);
        JsonNode told = told(bare(PeerClose.of(4_000, words)));
        assertEquals(4_000, told.get("peer_code").asInt());
        assertEquals("low??yrettab", told.get("peer_text").asText());
        JsonNode nothing = told(bare(PeerClose.of(0, new byte[0])));
        assertEquals("", nothing.get("peer_text").asText());
        assertFalse(nothing.has("peer_code"));
        assertFalse(told(bare(null)).has("peer_text"));
    }

    @Test
    void write_open_hasNeitherReasonNorLateness() throws Exception {
        Evidence closed = Events.evidence(CloseReason.HEARTBEAT_TIMEOUT);
        JsonNode told = told(new Evidence(
                closed.identity(),
                "",
                closed.protocol(),
                closed.remote(),
                "10.9.0.1:41000",
                "\"\n\u0000\u001b[31m",
                true,
                closed.atEpochMillis(),
                closed.openMillis(),
                null,
                "",
                null,
                null,
                closed.limit(),
                closed.traffic(),
                closed.probes(),
                closed.path(),
                closed.timing(),
                9,
                "b"));

        assertTrue(told.get("open").asBoolean());
        assertFalse(told.has("reason") || told.has("cause"));
        assertFalse(told.get("timing").has("lateness_ms"));
        assertEquals("\"\n\u0000\u001b[31m", told.get("client").asText());
        assertEquals(9, told.get("successor_session").asLong());
        assertEquals("b", told.get("successor_node").asText());
    }
}
