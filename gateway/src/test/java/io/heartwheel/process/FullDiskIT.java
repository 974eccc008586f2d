package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A full disk, by a limit of the process that lets no file grow, with nothing but the JDK. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class FullDiskIT {
    private static final int DEVICES = 100;
    private static final int KIBIBYTES = 128;
    private static final int MOST_MESSAGES = 10_000;
    private static final String PADDING = "x".repeat(900);

    @TempDir
    private Path scratch;

    private final Set<Long> acknowledged = new HashSet<>();
    private long sent;

    /** Nothing acknowledged is lost, what cannot be kept is refused, no half line is left, and it goes on by itself when there is room. */
    @Test
    void sink_fullFile_refusesUntilThereIsRoom() throws Exception {
        Path file = scratch.resolve("events");
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", file)
                        .filesOfAtMost(KIBIBYTES)
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"));
                WireClient device = WireClient.hello(gateway.tcp(), "writer")) {
            herd.connect(DEVICES);
            while (isAccepted(device)) {
                assertTrue(sent < MOST_MESSAGES, "the disk is never full");
            }
            for (int i = 0; i < 50; i++) {
                isAccepted(device);
            }
            MetricsPage page = gateway.metrics();
            assertTrue(page.sum("heartwheel_sink_messages_total", "outcome=\"refused\"") > 0, page::toString);
            assertTrue(page.sum("heartwheel_sink_write_failures_total") > 0, page::toString);
            assertEquals(0, page.sum("heartwheel_closes_total"), page::toString);
            Path rotated = Files.move(file, scratch.resolve("events.1"));
            Await.until("taken again", () -> isAccepted(device));
            for (int i = 0; i < 10; i++) {
                assertTrue(isAccepted(device), "goes on");
            }
            assertKept(rotated, file);
            assertEquals(DEVICES, herd.count().live());
            int warnings = gateway.log("event sink cannot write").size();
            assertTrue(warnings >= 1 && warnings < 60, () -> warnings + " warnings");
        }
    }

    private boolean isAccepted(WireClient device) throws Exception {
        long id = ++sent;
        device.data(id, WireFrame.WANTS_ACK | WireFrame.TEXT, PADDING);
        WireFrame ack = device.next(WireFrame.ACK);
        assertEquals(id, ack.id());
        return ack.status() == 0 && acknowledged.add(id);
    }

    /** Every line is whole, and every message that was acknowledged stands in one. */
    private void assertKept(Path... files) throws Exception {
        Set<Long> missing = new HashSet<>(acknowledged);
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                JsonNode event = new ObjectMapper().readTree(line);
                if (event.get("event").asText().equals("data")) {
                    missing.remove(event.get("id").asLong());
                }
            }
        }
        assertTrue(acknowledged.size() > 10, () -> acknowledged.size() + " acknowledged");
        assertEquals(Set.of(), missing, "acknowledged and lost");
    }

    /** Its log is full from the beginning: the gateway lives on without a voice. */
    @Test
    void log_fullFile_changesNothingForDevices() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("heartbeat.interval", "2s", "log.level", "debug")
                        .filesOfAtMost(16)
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            for (int i = 0; i < 300; i++) {
                WireClient.hello(gateway.tcp(), "comes-and-goes-" + i).close();
            }
            Await.until("all are counted", () -> gateway.metrics().closes("peer_closed") >= 300);
            assertTrue(Files.size(gateway.directory().resolve("log")) >= 15 << 10, "the log is full");
            try (WireClient device = WireClient.hello(gateway.tcp(), "next")) {
                device.roundTrip(1);
            }
            assertEquals(DEVICES, herd.count().live());
            assertTrue(gateway.isAlive());
        }
    }
}
