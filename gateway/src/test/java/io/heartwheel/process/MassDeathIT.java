package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Thousands of devices die at once while the receiver of their events is down: half of them by a reset, half by silence. When it comes up it is told of each
 * death exactly once. Property {@code heartwheel.journal.devices}: how many devices. Alone, because others would be disturbed.
 */
@Tag("hazard")
@Isolated
class MassDeathIT {
    private static final int DEVICES = Integer.getInteger("heartwheel.journal.devices", 3_000);
    private static final int SILENT = DEVICES / 2;
    private static final int SOURCES = 4;
    private static final int FRAME_HEADER_BYTES = 4;
    /** Interval of the silent: none dies before the last one is here. */
    private static final long SILENCE_MILLIS = 10_000L + DEVICES / 2;

    private static final Duration PATIENCE = Duration.ofSeconds(40).plusMillis(4L * DEVICES);

    @TempDir
    private Path scratch;

    @Test
    void deaths_whileTheReceiverIsDown_areEachToldOnce() throws Exception {
        List<Socket> devices = new ArrayList<>();
        try (WebhookReceiver receiver = new WebhookReceiver();
                GatewayProcess gateway = GatewayProcess.with("sink.kind", "journal", "breaker.enabled", "false")
                        .set("journal.directory", scratch.resolve("journal").toString())
                        .set("outlets.hook.kind", "webhook", "outlets.hook.url", receiver.url())
                        .start()) {
            for (int i = 0; i < DEVICES; i++) {
                devices.add(connect(gateway, i));
            }
            for (int i = 0; i < DEVICES; i += 2) {
                devices.get(i).setSoLinger(true, 0);
                devices.get(i).close();
            }
            Await.until(
                    () -> "the end of all devices",
                    PATIENCE,
                    () -> gateway.metrics().sum("heartwheel_journal_events_total") >= 1 + 2 * DEVICES);
            assertEquals(SILENT, gateway.metrics().closes("heartbeat_timeout"));
            assertEquals(List.of(), receiver.deliveries());

            receiver.open();
            assertEquals(200, gateway.status("POST", "/v1/outlets/hook/resume"));
            Await.until(() -> "no event waits", PATIENCE, () -> lag(gateway) == 0);
            assertToldOnce(receiver);
            assertEquals(1 + 2 * DEVICES, gateway.metrics().sum("heartwheel_journal_events_total"));
        } finally {
            for (Socket device : devices) {
                device.close();
            }
        }
    }

    private static Socket connect(GatewayProcess gateway, int number) throws IOException {
        Socket socket = WireClient.open(gateway.tcp(), "127.0.1." + (1 + number % SOURCES));
        boolean silent = number % 2 == 1;
        socket.setSoTimeout((int) Await.LONG.toMillis());
        socket.getOutputStream()
                .write(WireFrame.hello("device-" + number, silent ? SILENCE_MILLIS : 3_600_000, 0, "", ""));
        byte[] header = socket.getInputStream().readNBytes(FRAME_HEADER_BYTES);
        assertEquals(WireFrame.WELCOME, header[0]);
        socket.getInputStream().readNBytes(ByteBuffer.wrap(header).getShort(2));
        return socket;
    }

    private static long lag(GatewayProcess gateway) throws IOException {
        return gateway.ask("/v1/outlets/hook").get("lag_events").asLong();
    }

    private static void assertToldOnce(WebhookReceiver receiver) {
        for (WebhookReceiver.Delivery delivery : receiver.deliveries()) {
            assertTrue(delivery.marked() || !delivery.repeated(), delivery::toString);
        }
        List<JsonNode> ends = receiver.events("disconnected");
        Map<String, Long> byDevice = ends.stream()
                .collect(Collectors.groupingBy(
                        event -> event.get("device").asText(), TreeMap::new, Collectors.counting()));
        assertEquals(DEVICES, byDevice.size());
        assertEquals(DEVICES, ends.size(), () -> byDevice.entrySet().stream()
                .filter(device -> device.getValue() != 1)
                .toList()
                .toString());
        Map<String, Long> reasons = ends.stream()
                .collect(Collectors.groupingBy(
                        event -> event.get("reason").asText(), TreeMap::new, Collectors.counting()));
        assertEquals(DEVICES / 2, reasons.get("heartbeat_timeout"), reasons::toString);
        assertEquals(DEVICES, receiver.events("connected").size());
        assertEquals(List.of(), receiver.events("gap"));
    }
}
