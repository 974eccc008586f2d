package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The activity trace of the real gateway. */
@Execution(ExecutionMode.CONCURRENT)
class TraceIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path scratch;

    private Path file() {
        return scratch.resolve("trace.jsonl");
    }

    private GatewaySetup tracing() {
        return GatewayProcess.with("trace.enabled", "true", "trace.file", file(), "trace.share", "1");
    }

    private List<JsonNode> lines() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file())) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    private JsonNode line(GatewayProcess gateway, int count) throws Exception {
        Await.until(count + " lines", () -> Files.exists(file()) && lines().size() == count);
        MetricsPage page = gateway.metrics();
        assertEquals(count, page.sum("heartwheel_trace_lines_total", "written"), page::toString);
        assertEquals(Files.size(file()), page.sum("heartwheel_trace_written_bytes_total"));
        return lines().get(count - 1);
    }

    private static void assertLife(JsonNode life, String protocol, int reads, String ended) {
        assertEquals(protocol, life.get("protocol").asText(), life::toString);
        assertEquals(reads, life.get("reads_ms").size(), life::toString);
        assertEquals(ended, life.get("ended").asText(), life::toString);
        long at = life.get("from_ms").asLong();
        assertEquals(at, life.get("connected_ms").asLong(), life::toString);
        for (JsonNode read : life.get("reads_ms")) {
            at += read.asLong();
        }
        assertTrue(at <= life.get("ended_ms").asLong(), life::toString);
        assertEquals(150, life.get("grace").asInt());
    }

    @Test
    void connections_ofEveryKind_areTakenDownToTheLast() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway = tracing()
                .set("listeners.both.bind", "127.0.0.1:0", "listeners.both.protocol", "auto")
                .tls("secured", certificates)
                .start()) {
            assertFrames(gateway, 1, WireClient.connect(gateway.tcp()));
            assertFrames(gateway, 2, WireClient.connect(gateway.port("both")));
            assertMessages(gateway, 3, "websocket");
            assertMessages(gateway, 4, "both");
            var address = gateway.port("secured");
            Socket plain = new Socket(address.getAddress(), address.getPort());
            assertFrames(gateway, 5, new WireClient(certificates.secured(plain)));
        }
    }

    /** Frames of a device, one by one. */
    private void assertFrames(GatewayProcess gateway, int number, WireClient connected) throws Exception {
        try (WireClient device = connected) {
            device.sayHello("secret-name", 45_000, 0);
            device.roundTrip(1);
            device.roundTrip(2);
            device.send(WireFrame.CLOSE, (byte) 0x0f, (byte) 0xa0);
            device.expectEnd();
        }
        JsonNode life = line(gateway, number);
        assertLife(life, "heartwheel", 4, "peer_closed");
        assertEquals(45_000, life.get("interval_ms").asInt());
        assertEquals(number, life.get("connection").asInt());
        assertFalse(life.toString().contains("secret"));
        Set<String> names = new TreeSet<>();
        life.fieldNames().forEachRemaining(names::add);
        String wanted = "connected_ms connection ended ended_ms from_ms grace interval_ms protocol reads_ms trace";
        assertEquals(wanted, String.join(" ", names));
    }

    /** Messages of a plain peer. */
    private void assertMessages(GatewayProcess gateway, int number, String listener) throws Exception {
        try (WebSocketWire peer = WebSocketWire.plain(gateway.port(listener), "/ws/p?heartbeat_ms=7000")) {
            Await.until("established", () -> gateway.metrics().sum("heartwheel_opens_total") == number);
            double before = gateway.metrics().sum("heartwheel_frames_received_total", "data");
            peer.text("one");
            Await.until(
                    "a message", () -> gateway.metrics().sum("heartwheel_frames_received_total", "data") == before + 1);
            peer.send(WebSocketWire.CLOSE, (byte) 3, (byte) 0xe8);
            peer.expectClose(1000);
        }
        JsonNode life = line(gateway, number);
        assertLife(life, "plain", 3, "peer_closed");
        assertEquals(7_000, life.get("interval_ms").asInt());
    }

    @Test
    void stamps_moreThanKept_areInSeveralLinesThatJoin() throws Exception {
        try (GatewayProcess gateway = tracing().set("trace.stamps", "16").start()) {
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                for (int i = 0; i < 40; i++) {
                    device.roundTrip(i);
                }
                device.reset();
            }
            JsonNode last = line(gateway, 3);
            assertEquals("peer_reset", last.get("ended").asText());
            List<Integer> sizes = new ArrayList<>();
            long at = last.get("connected_ms").asLong();
            for (JsonNode line : lines()) {
                assertEquals(at, line.get("from_ms").asLong(), line::toString);
                for (JsonNode read : line.get("reads_ms")) {
                    at += read.asLong();
                }
                sizes.add(line.get("reads_ms").size());
                assertEquals(line.equals(last), line.has("ended"), line::toString);
            }
            assertEquals(List.of(16, 16, 9), sizes);
        }
    }

    @Test
    void shutdown_writesWhoIsThere() throws Exception {
        try (GatewayProcess gateway = tracing().set("shutdown.drain", "0s").start()) {
            List<WireClient> devices = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "d" + i));
            }
            WireClient never = WireClient.connect(gateway.tcp());
            Await.until("all", () -> gateway.metrics().sum("heartwheel_trace_connections_total") == 21);
            gateway.terminate();
            for (WireClient device : devices) {
                device.close();
            }
            never.close();
        }
        List<JsonNode> lines = lines();
        assertEquals(21, lines.size());
        Set<Long> numbers = new TreeSet<>();
        for (JsonNode line : lines) {
            assertEquals("shutdown", line.get("ended").asText(), line::toString);
            assertEquals(lines.get(0).get("trace"), line.get("trace"));
            numbers.add(line.get("connection").asLong());
        }
        assertEquals(21, numbers.size());
        assertEquals(
                1,
                lines.stream()
                        .filter(line -> line.get("protocol").asText().equals("handshake"))
                        .count());
    }
}
