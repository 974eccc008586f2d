package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same evidence of a close in four places. */
@Execution(ExecutionMode.CONCURRENT)
class WhyIT {
    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.with("sink.kind", "console", "heartbeat.interval", "1s")
                .set("shadow.enabled", "true", "shadow.heartbeat.grace", "1.1")
                .set("log.levels.io.heartwheel.closes", "debug")
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    /** The event of this device's end, once it is written. */
    private static JsonNode end(String device) throws Exception {
        List<JsonNode> found = new ArrayList<>();
        Await.until("the end of " + device, () -> {
            found.addAll(EventLines.ofDevice(device, EventLines.of("disconnected", gateway.events())));
            return !found.isEmpty();
        });
        return found.get(0);
    }

    @Test
    void silence_everywhere_isToldAlike() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("silent", 5_000, 0);
            device.roundTrip(1);
            device.expect(WireFrame.PING);
            device.expectClose(4001);
        }
        JsonNode event = end("silent");
        String text = event.get("text").asText();
        assertTrue(
                text.matches(
                        "closed after [0-9.]+ s of silence: heartbeat 5 s \\(asked by the device\\) x 1\\.5; "
                                + "last frame PING at 20[-0-9T:.]+Z; probe at [0-9.]+ s unanswered.*; [0-9.]+ m?s after the deadline"),
                text);

        gateway.awaitLog("silent session " + event.get("session") + " heartbeat_timeout: " + text);
        gateway.awaitLog("in the last second: heartbeat_timeout ");
        assertFalse(gateway.log(" INFO  closes closed ").isEmpty());

        JsonNode why = gateway.ask("/v1/devices/silent/why");
        assertFalse(why.get("open").asBoolean());
        assertTrue(why.get("text").asText().endsWith(": " + text), why::toString);
        same(event, why.get("closed").get(0));

        JsonNode listed = gateway.ask("/v1/closed?reason=heartbeat_timeout").get("closed");
        same(
                event,
                EventLines.ofDevice("silent", List.copyOf(listed.findParents("device")))
                        .get(0));
    }

    private static void same(JsonNode event, JsonNode close) {
        ObjectNode fact = event.deepCopy();
        fact.remove("event");
        fact.remove("sequence");
        assertEquals(fact, close);
    }

    /** A kernel that had the probe sent twice is told of in other words. */
    @Test
    void silence_ofProgramsWhoseKernelsRun_isToldAsThat() throws Exception {
        List<WireClient> devices = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            WireClient device = WireClient.connect(gateway.tcp());
            device.sayHello("mute-" + i, 500 + i, 0);
            devices.add(device);
        }
        for (WireClient device : devices) {
            device.expect(WireFrame.PING);
            device.expectClose(4001);
            device.close();
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < devices.size(); i++) {
            texts.add(end("mute-" + i).get("text").asText());
        }
        String acknowledged = " unanswered, though the peer's kernel has acknowledged it; ";
        assertTrue(texts.stream().anyMatch(text -> text.contains(acknowledged)), texts::toString);
    }

    @Test
    void leaving_withWords_isToldInTheEventAndByWhy() throws Exception {
        byte[] words = close(4_000, "battery low \u202e\n");
        byte[] frame = WireFrame.encode(WireFrame.CLOSE, 0, words);
        try (WireClient tcp = WireClient.hello(gateway.tcp(), "leaves-tcp")) {
            tcp.send(frame).expectEnd();
        }
        assertLeft("leaves-tcp", "CLOSE");
        for (boolean framed : new boolean[] {false, true}) {
            String device = "leaves-" + framed;
            try (WebSocketWire peer = WebSocketWire.frames(gateway.webSocket())) {
                peer.send(WebSocketWire.BINARY, WireFrame.hello(device)).expect(WebSocketWire.BINARY);
                peer.send(framed ? WebSocketWire.BINARY : WebSocketWire.CLOSE, framed ? frame : words);
                peer.expect(WebSocketWire.CLOSE);
            }
            assertLeft(device, framed ? "CLOSE" : "close");
        }
        try (WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/leaves-plain")) {
            plain.send(WebSocketWire.CLOSE, words).expect(WebSocketWire.CLOSE);
        }
        assertLeft("leaves-plain", "close");
    }

    private static byte[] close(int code, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 + utf8.length)
                .putShort((short) code)
                .put(utf8)
                .array();
    }

    private static void assertLeft(String device, String word) throws Exception {
        String cause = "the device said " + word + " 4000";
        JsonNode event = end(device);
        assertEquals("peer_closed", event.get("reason").asText());
        assertEquals(cause, event.get("cause").asText());
        assertEquals(4_000, event.get("peer_code").asInt());
        assertEquals("battery low ??", event.get("peer_text").asText());
        assertTrue(
                event.get("text")
                        .asText()
                        .startsWith("closed as peer_closed: " + cause + " \"battery low ??\", after "),
                event::toString);
        same(event, gateway.ask("/v1/devices/" + device + "/why").get("closed").get(0));
    }

    @Test
    void open_twoDevices_tellWhatWouldCloseThem() throws Exception {
        try (WireClient context = WireClient.connect(gateway.tcp());
                WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/plain?heartbeat_ms=60000")) {
            context.sayHello("patient", 60_000, 0);
            context.roundTrip(1);

            JsonNode told = gateway.ask("/v1/devices/patient/why");
            assertTrue(told.get("open").asBoolean());
            assertEquals("heartbeat", told.get("deadline").get("kind").asText());
            assertEquals("asked", told.get("deadline").get("origin").asText());
            long dueMillis = told.get("deadline").get("due_in_ms").asLong();
            assertTrue(dueMillis > 30_000 && dueMillis <= 90_000, told::toString);
            assertTrue(
                    told.get("text")
                            .asText()
                            .matches("open for [0-9.]+ s; would be closed in [0-9.]+ s by heartbeat 60 s "
                                    + "\\(asked by the device\\) x 1\\.5; last frame PING at .*"),
                    told::toString);
            assertEquals(0, told.get("closed").size());

            assertTrue(gateway.ask("/v1/devices/plain/why").get("text").asText().contains("; it never sent a frame"));
            plain.text("x");
        }
        assertEquals("peer_closed", end("patient").get("reason").asText());
        assertEquals(
                "peer_closed",
                gateway.ask("/v1/devices/patient/why")
                        .get("closed")
                        .get(0)
                        .get("reason")
                        .asText());
    }

    @Test
    void neverAHello_isAmongTheHandshakes() throws Exception {
        try (WireClient stranger = WireClient.connect(gateway.tcp())) {
            stranger.send("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Await.until(
                    "the stranger's close",
                    () -> gateway.ask("/v1/closed?handshakes=true")
                                    .get("closed")
                                    .size()
                            > 0);
        }
        JsonNode close =
                gateway.ask("/v1/closed?handshakes=true&limit=1").get("closed").get(0);
        assertEquals("handshake", close.get("protocol").asText());
        assertFalse(close.get("established").asBoolean());
        assertEquals(404, gateway.status("GET", "/v1/devices/nobody/why"));
    }

    @Test
    void guards_onTheirPages_areThere() throws Exception {
        assertEquals(
                "watching: no mass expiry",
                gateway.ask("/v1/breaker").get("text").asText());
        JsonNode shadow = gateway.ask("/v1/shadow");
        assertTrue(shadow.get("enabled").asBoolean());
        assertEquals(
                "interval x 1.1, in force x 1.5",
                shadow.get("policy").get("heartbeat").asText());

        String page = gateway.admin("GET", "/metrics").body();
        for (String series : List.of(
                "heartwheel_stalls_total{loop=\"1\"",
                "heartwheel_breaker_open 0.0",
                "heartwheel_expiry_overdue_seconds ",
                "heartwheel_pause_seconds_total{cause=\"unknown\"")) {
            assertTrue(page.contains("\n" + series), series);
        }
    }
}
