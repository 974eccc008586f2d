package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The sinks of a real gateway. */
@Execution(ExecutionMode.CONCURRENT)
class SinkIT {
    @TempDir
    private Path scratch;

    @Test
    void file_livesOfDevices_areThreeKindsOfLines() throws Exception {
        Path file = scratch.resolve("events.jsonl");
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", file)
                .set("shutdown.drain", "100ms")
                .start()) {
            WireFrame welcome;
            try (WireClient device = WireClient.connect(gateway.tcp())) {
                device.send(WireFrame.hello("müller", 45_000, 0, "", "acme-fw/2.1"));
                welcome = device.expect(WireFrame.WELCOME);
                for (int i = 1; i <= 200; i++) {
                    device.data(i, WireFrame.WANTS_ACK | WireFrame.TEXT, "hé \"" + i + "\"\n");
                    WireFrame ack = device.expect(WireFrame.ACK);
                    assertEquals(i, ack.id());
                    assertEquals(0, ack.status());
                    // the acknowledgement is a promise kept already
                    assertTrue(Files.readString(file).contains("\\\"" + i + "\\\""), "ACK " + i + " before its line");
                }
                device.send(WireFrame.data(-1, WireFrame.WANTS_ACK, (byte) 0, (byte) -1));
                device.expect(WireFrame.ACK);
            }
            Await.until("the end in the file", () -> Files.readString(file).contains("\"disconnected\""));
            List<JsonNode> lines = EventLines.read(file);
            assertEquals(203, lines.size());
            for (JsonNode line : lines) {
                assertEquals("müller", line.get("device").asText());
                assertEquals(welcome.session(), line.get("session").asLong());
                assertEquals(welcome.epoch(), line.get("epoch").asLong());
            }
            JsonNode connected = lines.get(0);
            assertEquals("connected", connected.get("event").asText());
            assertEquals("heartwheel", connected.get("protocol").asText());
            assertEquals("acme-fw/2.1", connected.get("client").asText());
            assertEquals(45_000, connected.get("interval_ms").asLong());
            assertEquals("hé \"1\"\n", lines.get(1).get("text").asText());
            JsonNode binary = lines.get(201);
            assertEquals("18446744073709551615", binary.get("id").asText());
            assertArrayEquals(new byte[] {0, -1}, binary.get("base64").binaryValue());
            JsonNode disconnected = lines.get(202);
            assertEquals("disconnected", disconnected.get("event").asText());
            assertEquals("peer_closed", disconnected.get("reason").asText());
            assertShutdownTellsEveryEnd(gateway, file);
        }
    }

    private static void assertShutdownTellsEveryEnd(GatewayProcess gateway, Path file) throws Exception {
        List<WireClient> devices = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            devices.add(WireClient.hello(gateway.tcp(), "d" + i));
        }
        gateway.terminate();
        for (WireClient device : devices) {
            device.nextClose(4200);
            device.close();
        }
        long ends = EventLines.of("disconnected", EventLines.read(file)).stream()
                .filter(line -> line.path("code").asInt() == 4200)
                .count();
        assertEquals(50, ends);
    }

    @Test
    void console_withLogs_hasStandardOutputToItself() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "console", "log.level", "debug")
                .start()) {
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                device.data(7, WireFrame.WANTS_ACK | WireFrame.TEXT, "hello");
                device.expect(WireFrame.ACK);
            }
            Await.until("three lines", () -> gateway.out().lines().count() >= 3);
            List<JsonNode> events = gateway.events();
            assertEquals(
                    List.of("connected", "data", "disconnected"),
                    events.stream().map(EventLines::kind).toList());
            gateway.awaitLog(" ready");
            String line = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\S+ (DEBUG|INFO |WARN ) \\w+ .*";
            gateway.terminate();
            assertTrue(gateway.log().lines().allMatch(text -> text.matches(line)), gateway.log());
        }
    }

    @Test
    void echo_message_comesBackBeforeItsAck() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo").start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            byte[] large = new byte[65_536];
            large[65_535] = 9;
            device.send(WireFrame.data(3, WireFrame.WANTS_ACK, large));
            WireFrame echo = device.expect(WireFrame.DATA);
            assertEquals(3, echo.id());
            assertArrayEquals(large, echo.message());
            assertEquals(0, device.expect(WireFrame.ACK).status());
            device.data(4, WireFrame.TEXT, "hé");
            WireFrame text = device.expect(WireFrame.DATA);
            assertEquals("hé", text.text());
            assertEquals(WireFrame.TEXT, text.flags());
        }
    }
}
