package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The same evidence of a close in four places. */
class WhyIT {
    private static final ObjectMapper JSON = new ObjectMapper();
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

    private static JsonNode ask(String path) throws Exception {
        GatewayProcess.Answer answer = gateway.admin("GET", path);
        assertEquals(200, answer.status(), answer::toString);
        return answer.json();
    }

    /** The event of this device's end, once it is written. */
    private static JsonNode end(String device) throws Exception {
        String mark = "\"event\":\"disconnected\",\"device\":\"" + device + "\"";
        Await.until("the end of " + device, () -> gateway.out().lines().anyMatch(line -> line.contains(mark)));
        return JSON.readTree(gateway.out()
                .lines()
                .filter(line -> line.contains(mark))
                .findFirst()
                .orElseThrow());
    }

    @Test
    void silence_everywhere_isToldAlike() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("silent", 500, 0);
            device.roundTrip(1);
            device.expect(WireFrame.PING);
            device.expectClose(4001);
        }
        JsonNode event = end("silent");
        String text = event.get("text").asText();
        assertTrue(
                text.matches(
                        "closed after [0-9.]+ s of silence: heartbeat 500 ms \\(asked by the device\\) x 1\\.5; "
                                + "last frame PING at 20[-0-9T:.]+Z; probe at [0-9.]+ s unanswered.*; [0-9.]+ m?s after the deadline"),
                text);

        gateway.awaitLog("silent session " + event.get("session") + " heartbeat_timeout: " + text);

        JsonNode why = ask("/v1/devices/silent/why");
        assertFalse(why.get("open").asBoolean());
        assertTrue(why.get("text").asText().endsWith(": " + text), why::toString);
        same(event, why.get("closed").get(0));

        JsonNode listed = ask("/v1/closed?reason=heartbeat_timeout");
        for (JsonNode close : listed.get("closed")) {
            if (close.get("device").asText().equals("silent")) {
                same(event, close);
                return;
            }
        }
        throw new AssertionError("not among the closes: " + listed);
    }

    private static void same(JsonNode event, JsonNode close) {
        ObjectNode fact = event.deepCopy();
        fact.remove("event");
        fact.remove("sequence");
        assertEquals(fact, close);
    }

    @Test
    void silence_ofProgramsWhoseKernelsRun_isAlwaysToldAsThat() throws Exception {
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
        for (int i = 0; i < devices.size(); i++) {
            String text = end("mute-" + i).get("text").asText();
            assertTrue(text.contains(" unanswered, though the peer's kernel has acknowledged it; "), text);
        }
    }

    @Test
    void leaving_withWords_isToldInTheEventAndByWhy() throws Exception {
        byte[] words = close(4_000, "battery low \u202e\n");
        try (WireClient tcp = WireClient.hello(gateway.tcp(), "leaves-tcp")) {
            tcp.send(WireFrame.encode(WireFrame.CLOSE, 0, words));
            tcp.expectEnd();
        }
        leftWithWords("leaves-tcp", "the device said CLOSE 4000");

        try (WebSocketWire native1 = WebSocketWire.frames(gateway.webSocket())) {
            native1.send(WebSocketWire.BINARY, WireFrame.hello("leaves-native"));
            native1.expect(WebSocketWire.BINARY);
            native1.send(WebSocketWire.CLOSE, words);
            native1.expect(WebSocketWire.CLOSE);
        }
        leftWithWords("leaves-native", "the device said close 4000");

        try (WebSocketWire framed = WebSocketWire.frames(gateway.webSocket())) {
            framed.send(WebSocketWire.BINARY, WireFrame.hello("leaves-framed"));
            framed.expect(WebSocketWire.BINARY);
            framed.send(WebSocketWire.BINARY, WireFrame.encode(WireFrame.CLOSE, 0, words));
            framed.expect(WebSocketWire.CLOSE);
        }
        leftWithWords("leaves-framed", "the device said CLOSE 4000");

        try (WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/leaves-plain")) {
            plain.send(WebSocketWire.CLOSE, words);
            plain.expect(WebSocketWire.CLOSE);
        }
        leftWithWords("leaves-plain", "the device said close 4000");
    }

    private static byte[] close(int code, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 + utf8.length)
                .putShort((short) code)
                .put(utf8)
                .array();
    }

    private static void leftWithWords(String device, String cause) throws Exception {
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
        same(event, ask("/v1/devices/" + device + "/why").get("closed").get(0));
    }

    @Test
    void stormOfOne_atInfo_isALine() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("alone", 500, 0);
            device.next(WireFrame.PING);
            device.expectClose(4001);
        }
        gateway.awaitLog("in the last second: heartbeat_timeout ");
        assertFalse(gateway.log(" INFO  closes closed ").isEmpty());
    }

    @Test
    void open_twoDevices_tellWhatWouldCloseThem() throws Exception {
        try (WireClient context = WireClient.connect(gateway.tcp());
                WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/plain?heartbeat_ms=60000")) {
            context.sayHello("patient", 60_000, 0);
            context.roundTrip(1);

            JsonNode told = ask("/v1/devices/patient/why");
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

            assertTrue(ask("/v1/devices/plain/why").get("text").asText().contains("; it never sent a frame"));
            plain.text("x");
        }
        assertEquals("peer_closed", end("patient").get("reason").asText());
        assertEquals(
                "peer_closed",
                ask("/v1/devices/patient/why")
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
                    () -> ask("/v1/closed?handshakes=true").get("closed").size() > 0);
        }
        JsonNode close = ask("/v1/closed?handshakes=true&limit=1").get("closed").get(0);
        assertEquals("handshake", close.get("protocol").asText());
        assertFalse(close.get("established").asBoolean());
        assertEquals(404, gateway.admin("GET", "/v1/devices/nobody/why").status());
    }

    @Test
    void guards_onTheirPages_areThere() throws Exception {
        assertEquals("watching: no mass expiry", ask("/v1/breaker").get("text").asText());
        JsonNode shadow = ask("/v1/shadow");
        assertTrue(shadow.get("enabled").asBoolean());
        assertEquals(
                "interval x 1.1, in force x 1.5",
                shadow.get("policy").get("heartbeat").asText());

        String page = gateway.admin("GET", "/metrics").body();
        for (String series : List.of(
                "heartwheel_stalls_total{loop=\"1\"",
                "heartwheel_breaker_open 0.0",
                "heartwheel_expiry_overdue_seconds 0.0",
                "heartwheel_pause_seconds_total{cause=\"unknown\"")) {
            assertTrue(page.contains("\n" + series), series);
        }
    }
}
