package io.heartwheel.outlet.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.NatsServer;
import io.heartwheel.cluster.NatsStream;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.Chunks;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The outlet and a real nats-server, which is killed in the middle. */
@Tag("interop")
class NatsOutletInteropTest {
    private static final int EVENTS = 40_000;
    private static final int CHUNK = 4_000;
    private static final int DEVICES = 500;
    private static final int MOST_ATTEMPTS = 10_000;

    @TempDir
    private static Path directory;

    private static NatsServer server;

    @BeforeAll
    static void start() throws Exception {
        server = NatsServer.start(directory, "max_payload: 64KB");
    }

    @AfterAll
    static void end() throws Exception {
        server.close();
    }

    private static NatsOutlet outlet(String subject) {
        return new NatsOutlet(
                new OutletSettings.Nats(
                        new NatsServers(List.of(server.url()), null, null, null, null),
                        subject,
                        Duration.ofSeconds(10)),
                new CloudEvent("a"));
    }

    /** As the runner does: the same events until they are there. */
    private static int deliver(NatsOutlet outlet, List<OutletEvent> events) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                outlet.deliver(events, attempt);
                return attempt;
            } catch (OutletException e) {
                assertTrue(attempt < MOST_ATTEMPTS, e::getMessage);
            }
        }
    }

    @Test
    void deliver_serverKilledInTheMiddle_storesEachOnceAndInOrder() throws Exception {
        NatsStream.make(server, "killed", "killed.>", -1);
        FutureTask<Void> killer = new FutureTask<>(() -> {
            while (NatsStream.messages(server, "killed") < EVENTS / 2) {
                Thread.onSpinWait();
            }
            server.kill();
            server.start();
            return null;
        });
        new Thread(killer, "killer").start();
        int attempts = 0;
        try (NatsOutlet outlet = outlet("killed.{kind}.{hash}")) {
            for (int from = 1; from <= EVENTS; from += CHUNK) {
                attempts += deliver(outlet, Chunks.messages(from, from + CHUNK - 1, DEVICES));
            }
        }
        killer.get();
        assertTrue(attempts > EVENTS / CHUNK, "the kill was noticed");
        List<JsonNode> stored = NatsStream.read(server, "killed");
        assertEquals(EVENTS, stored.size());
        long[] latest = new long[DEVICES];
        for (JsonNode event : stored) {
            long number = event.get("data").get("sequence").asLong();
            int device = Math.toIntExact(number % DEVICES);
            assertTrue(number > latest[device], () -> number + " after " + latest[device]);
            latest[device] = number;
        }
    }

    @Test
    void deliver_streamThatComesLater_isToldAndDelivered() throws Exception {
        try (NatsOutlet outlet = outlet("later.{device}")) {
            String said = assertThrows(OutletException.class, () -> outlet.deliver(Chunks.messages(1, 2, 1), 1))
                    .getMessage();
            assertTrue(
                    said.contains("no stream takes the subject later.ZGV2aWNlLTA: make one with the subjects later.*"),
                    said);
            NatsStream.make(server, "later", "later.*", -1);
            outlet.deliver(Chunks.messages(1, 2, 1), 2);
        }
        assertEquals(2, NatsStream.read(server, "later").size());
    }

    @Test
    void deliver_eventLargerThanServerOrStreamTake_goesOutAsGap() throws Exception {
        NatsStream.make(server, "small", "small.>", 20_000);
        try (NatsOutlet outlet = outlet("small.{kind}")) {
            List<OutletEvent> events = new ArrayList<>(Chunks.messages(1, 100, 1));
            events.set(50, Chunks.message(51, "device-0", 30_000));
            events.set(60, Chunks.message(61, "device-0", 90_000));
            outlet.deliver(events, 1);
            assertEquals(2, outlet.oversized());
        }
        List<JsonNode> stored = NatsStream.read(server, "small");
        assertEquals(100, stored.size());
        for (int i = 0; i < stored.size(); i++) {
            assertEquals("store-" + (i + 1), stored.get(i).get("id").asText());
        }
        assertEquals("io.heartwheel.gap", stored.get(50).get("type").asText());
        assertEquals("io.heartwheel.gap", stored.get(60).get("type").asText());
    }

    @Test
    void deliver_eventsLostByTheStream_areStoredAgainAfterARewind() throws Exception {
        NatsStream.make(server, "lost", "lost.>", -1);
        try (NatsOutlet outlet = outlet("lost.{kind}")) {
            outlet.deliver(Chunks.messages(1, 10, 2), 1);
            outlet.deliver(Chunks.messages(1, 10, 2), 2);
            assertEquals(10, NatsStream.messages(server, "lost"), "a rewind stores nothing twice");
            NatsStream.delete(server, "lost");
            NatsStream.make(server, "lost", "lost.>", -1);
            outlet.deliver(Chunks.messages(1, 10, 2), 2);
        }
        assertEquals(10, NatsStream.read(server, "lost").size());
    }

    @Test
    void deliver_noServer_namesIt() {
        NatsOutlet outlet = new NatsOutlet(
                new OutletSettings.Nats(
                        new NatsServers(List.of("nats://127.0.0.1:1"), null, null, null, null),
                        "a",
                        Duration.ofSeconds(1)),
                new CloudEvent("a"));
        String said = assertThrows(OutletException.class, () -> outlet.deliver(Chunks.messages(1, 1, 1), 1))
                .getMessage();
        assertEquals("NATS nats://127.0.0.1:1: ConnectException: Connection refused", said);
    }
}
