package io.heartwheel.loadgen.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.UplinkEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class EventReaderTest {

    private final EventReader reader = new EventReader("load-", 10);

    private EventReader.Read read(String event) throws IOException {
        List<EventReader.Read> batch = reader.batch(("[" + event + "]").getBytes(StandardCharsets.UTF_8));
        assertEquals(1, batch.size());
        return batch.get(0);
    }

    @Test
    void batch_message_isReadWhole() throws IOException {
        byte[] content = {0, -1, 7};
        CRC32C sum = new CRC32C();
        sum.update(content);
        assertEquals(
                new UplinkEvent(UplinkEvent.Kind.MESSAGE, 3, 7, -5, 3, 2, "", "", 258, 3, sum.getValue()),
                read(Sender.message("x-1", "load-3", 258, content)).event());
        String text = Sender.event("x-1", "data", "load-3", ",\"id\":\"18446744073709551615\",\"text\":\"hé\"");
        UplinkEvent event = read(text).event();
        assertEquals(3, event.bytes());
        assertEquals(-1, event.id());
    }

    @Test
    void batch_presence_isReadByKind() throws IOException {
        for (String kind : List.of("connected", "suspect", "recovered", "present")) {
            assertEquals(
                    UplinkEvent.Kind.PRESENT,
                    read(Sender.event("x-1", kind, "load-0", "")).event().kind());
        }
        UplinkEvent gone =
                read(Sender.event("x-1", "disconnected", "load-9", "")).event();
        assertEquals(UplinkEvent.Kind.ABSENT, gone.kind());
        assertEquals("", gone.detail());
    }

    @Test
    void batch_ofAFleet_namesItsGateways() throws IOException {
        String there = ",\"successor_node\":\"b\",\"instance\":\"a\"";
        UplinkEvent takenOver =
                read(Sender.event("x-1", "taken-over", "load-9", there)).event();
        assertEquals(UplinkEvent.Kind.TAKEN_OVER, takenOver.kind());
        assertEquals("a", takenOver.instance());
        assertEquals("b", takenOver.detail());
        UplinkEvent lost = read(Sender.event(
                        "x-1", "disconnected", "load-9", ",\"reason\":\"node_lost\",\"node\":\"a\""))
                .event();
        assertEquals(UplinkEvent.LOST, lost.detail());
        assertEquals("a", lost.instance(), "whose connection it was, not who tells it");
        assertEquals(0, lost.incarnation());
        String down =
                "{\"specversion\":\"1.0\",\"id\":\"x-4\",\"source\":\"/s\",\"type\":\"io.heartwheel.node-down\",\"data\":";
        UplinkEvent told = read(down + "{\"node\":\"b\",\"node_incarnation\":17,\"incarnation\":3,\"instance\":\"a\"}}")
                .event();
        assertEquals(UplinkEvent.Kind.NODE_DOWN, told.kind());
        assertEquals("b 17", told.detail());
        assertEquals("a", told.instance());
    }

    @Test
    void batch_ofTheGateway_isRead() throws IOException {
        String head = "{\"specversion\":\"1.0\",\"id\":\"x-4\",\"source\":\"/s\",\"type\":\"io.heartwheel.";
        UplinkEvent started = read(head + "incarnation\",\"data\":{\"incarnation\":4,\"previous\":3}}")
                .event();
        assertEquals(UplinkEvent.Kind.STARTED, started.kind());
        assertEquals(4, started.incarnation());
        assertEquals(
                373,
                read(head + "gap\",\"data\":{\"lost\":{\"connected\":186,\"data\":187}}}")
                        .gaps());
        assertNull(read(head + "of-a-later-version\",\"data\":{}}").event());
    }

    @Test
    void batch_deviceOfAnotherRun_isForeign() throws IOException {
        for (String device : List.of("load-10", "other-1", "load-", "load-01", "load-99999999999")) {
            assertTrue(read(Sender.event("x-1", "connected", device, "")).foreign(), device);
        }
    }

    @Test
    void batch_keys_areThoseOfSourceAndId() throws IOException {
        long one = read(Sender.event("x-1", "connected", "load-1", "")).key();
        assertEquals(
                one, read(Sender.event("x-1", "disconnected", "load-2", "")).key());
        assertNotEquals(
                one, read(Sender.event("x-2", "connected", "load-1", "")).key());
    }

    @Test
    void batch_whatIsNone_isRefused() {
        String good = Sender.message("x-1", "load-1", 1, new byte[1]);
        for (String bad : List.of(
                "{}",
                "7",
                good.replace("\"1.0\"", "\"0.3\""),
                good.replace("\"id\":\"x-1\"", "\"id\":7"),
                good.replace("io.heartwheel.", "com.example."),
                good.replace("\"subject\":\"load-1\"", "\"subject\":\"load-2\""),
                good.replace("\"base64\":\"AA==\"", "\"base64\":\"*\""),
                good.replace("\"base64\":\"AA==\"", "\"base64\":7"),
                good.replace("\"sequence\":3", "\"sequence\":-3"),
                good.replace("\"sequence\":3", "\"sequence\":3.5"))) {
            assertThrows(IOException.class, () -> read(bad), bad);
        }
        assertThrows(IOException.class, () -> reader.batch(good.getBytes(StandardCharsets.UTF_8)), "no array");
        assertThrows(IOException.class, () -> reader.batch(new byte[0]));
    }
}
