package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks of a gateway whose file sink runs out of room: nothing acknowledged is lost, a message that cannot be kept is refused, no half line is left,
 * and it continues by itself when there is room.
 */
final class FullDisk {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_MESSAGES = 100_000;
    private static final String PADDING = "x".repeat(900);

    private final GatewayProcess gateway;
    private final Set<Long> acknowledged = new HashSet<>();
    private long sent;

    FullDisk(GatewayProcess gateway) {
        this.gateway = gateway;
    }

    /** Sends until it is refused. */
    void fill(WireClient device) throws Exception {
        while (accepted(device)) {
            if (sent > MOST_MESSAGES) {
                throw new AssertionError("the disk is never full");
            }
        }
        for (int i = 0; i < 50; i++) {
            accepted(device);
        }
        MetricsPage page = gateway.metrics();
        assertTrue(page.sum("heartwheel_sink_messages_total", "outcome=\"refused\"") > 0, page::toString);
        assertTrue(page.sum("heartwheel_sink_write_failures_total") > 0, page::toString);
        assertEquals(0, page.sum("heartwheel_closes_total"), page::toString);
    }

    /** There is room again: it is found without help. */
    void recover(WireClient device) throws Exception {
        Await.until("taken again", () -> accepted(device));
        for (int i = 0; i < 10; i++) {
            assertTrue(accepted(device), "goes on");
        }
    }

    private boolean accepted(WireClient device) throws Exception {
        long id = ++sent;
        device.data(id, WireFrame.WANTS_ACK | WireFrame.TEXT, PADDING);
        WireFrame ack = device.next(WireFrame.ACK);
        assertEquals(id, ack.id());
        if (ack.status() == 0) {
            acknowledged.add(id);
        }
        return ack.status() == 0;
    }

    /** Every line in these files is whole, and every message that was acknowledged stands in one. */
    void requireKept(List<Path> files) throws Exception {
        Set<Long> missing = new HashSet<>(acknowledged);
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                JsonNode event = JSON.readTree(line);
                if (event.get("event").asText().equals("data")) {
                    missing.remove(event.get("id").asLong());
                }
            }
        }
        assertTrue(acknowledged.size() > 10, () -> acknowledged.size() + " acknowledged");
        assertEquals(Set.of(), missing, "acknowledged and lost");
    }
}
