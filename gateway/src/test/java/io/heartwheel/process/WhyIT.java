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
        fact.remove("incarnation");
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
}
