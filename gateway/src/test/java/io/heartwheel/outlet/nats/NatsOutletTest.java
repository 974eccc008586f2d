package io.heartwheel.outlet.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.Chunks;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.nats.FakeStream.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NatsOutletTest {
    private static final OutletSettings.Nats SETTINGS = new OutletSettings.Nats(
            new NatsServers(List.of("nats://h:4222"), null, null, null, null),
            "e.{kind}.{hash}.{device}",
            Duration.ofSeconds(20));
    private static final int MAXIMUM_BYTES = 10_077;
    private static final int LARGER_THAN_THE_STREAM_TAKES = 10_054;

    private final FakeStream stream = new FakeStream();
    private final NatsOutlet outlet = new NatsOutlet(SETTINGS, new CloudEvent("a"), stream);

    private static List<String> ids(List<OutletEvent> events) {
        return events.stream().map(OutletEvent::id).toList();
    }

    private static JsonNode json(Sent message) throws Exception {
        return new ObjectMapper().readTree(message.payload);
    }

    private String failed(List<OutletEvent> events) {
        OutletException failure = assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
        assertFalse(failure.pauses());
        assertTrue(stream.isClosed(), "the next delivery begins with a new connection");
        return failure.getMessage();
    }

    private static void refuse(Sent message) {
        message.refuse(MAXIMUM_BYTES, "maximum bytes exceeded");
    }

    @Test
    void deliver_events_haveSubjectIdAndCloudEvent() throws Exception {
        outlet.deliver(List.of(Chunks.message(1, "sénsor/1", 10), Chunks.incarnation(2)), 1);
        Sent message = stream.sent.get(0);
        assertEquals("e.data.de.c8OpbnNvci8x", message.subject);
        assertEquals("store-1", message.id());
        assertEquals("application/cloudevents+json; charset=UTF-8", message.headers.getFirst("content-type"));
        assertEquals("store-1", json(message).get("id").asText());
        assertEquals("sénsor/1", json(message).get("subject").asText());
        assertEquals("e.incarnation.-.-", stream.sent.get(1).subject);
    }

    @Test
    void deliver_twoChunks_useOneConnection() throws Exception {
        outlet.deliver(Chunks.messages(1, 3, 2), 1);
        outlet.deliver(Chunks.messages(4, 6, 2), 1);
        assertEquals(1, stream.opened);
        assertEquals(ids(Chunks.messages(1, 6, 2)), stream.idsStored());
    }

    @Test
    void deliver_manyDevices_haveAsManyEventsOnTheirWayAsTheWindowAllows() throws Exception {
        List<Sent> open = new ArrayList<>();
        AtomicInteger most = new AtomicInteger();
        int last = 3 * Delivery.WINDOW;
        stream.script(message -> {
            synchronized (open) {
                open.add(message);
                most.accumulateAndGet(open.size(), Math::max);
                boolean full = open.size() >= Delivery.WINDOW || stream.sent.size() == last;
                if (full) {
                    // as the client does, from its own thread
                    CompletableFuture.runAsync(() -> {
                        synchronized (open) {
                            open.forEach(Sent::acknowledge);
                            open.clear();
                        }
                    });
                }
            }
        });
        outlet.deliver(Chunks.messages(1, last, last), 1);
        assertEquals(Delivery.WINDOW, most.get());
        assertEquals(last, stream.stored.size());
    }

    @Test
    void deliver_eventRefused_isNotOvertakenByTheNextOfItsDevice() throws Exception {
        List<OutletEvent> events = Chunks.messages(1, 6, 2);
        stream.script(message -> {
            if (message.id().equals("store-3")) {
                refuse(message); // there may be room for the next
            } else {
                message.acknowledge();
            }
        });
        assertEquals(
                "nats e.{kind}.{hash}.{device} at nats://h:4222: 3 of 6 events acknowledged: the stream refuses"
                        + " e.data.79.ZGV2aWNlLTE: maximum bytes exceeded [10077]",
                failed(events));
        assertEquals(List.of("store-1", "store-2", "store-4"), stream.idsStored());

        int before = stream.sent.size();
        stream.script(Sent::acknowledge);
        outlet.deliver(events, 2);
        assertEquals(2, stream.opened);
        assertEquals(
                List.of("store-3", "store-6", "store-5"),
                stream.sent.subList(before, stream.sent.size()).stream()
                        .map(Sent::id)
                        .toList());
    }

    @Test
    void deliver_acknowledgementLost_isSentAgainAndStoredOnce() throws Exception {
        List<OutletEvent> events = Chunks.messages(1, 3, 3);
        stream.tell("Permissions Violation for Publish to \"e.data\"");
        stream.script(message -> {
            message.store();
            message.cancel();
        });
        String said = failed(events);
        assertTrue(
                said.endsWith("no acknowledgement in 20000 ms: Permissions Violation for Publish to \"e.data\""), said);
        stream.script(Sent::acknowledge);
        outlet.deliver(events, 2);
        assertEquals(ids(events), stream.idsStored());
    }

    /** Whatever fails, and however often: no event is missing, and no first copy of a device's event stands behind a later one's. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void deliver_failuresAtRandom_keepTheOrderOfEachDevice(long seed) throws Exception {
        Random random = new Random(seed * 31 + Long.getLong("test.seed", 1));
        List<Sent> open = new ArrayList<>();
        ExecutorService client = Executors.newSingleThreadExecutor();
        stream.script(message -> {
            synchronized (open) {
                open.add(message);
            }
            client.execute(() -> {
                synchronized (open) {
                    if (!open.isEmpty()) {
                        settle(open.remove(random.nextInt(open.size())), random);
                    }
                }
            });
        });
        int delivered = 0;
        for (int from = 1; from <= 500; from += 100) {
            List<OutletEvent> chunk = Chunks.messages(from, from + 99, 7);
            for (boolean whole = false; !whole; ) {
                try {
                    outlet.deliver(chunk, 1);
                    whole = true;
                } catch (OutletException again) {
                    synchronized (open) {
                        open.clear(); // the connection is closed: these came too late
                    }
                }
            }
            delivered += chunk.size();
            assertEquals(delivered, stream.stored.size());
        }
        Map<String, Long> latest = new HashMap<>();
        for (Sent each : stream.stored) {
            long number = json(each).get("data").get("sequence").asLong();
            Long before = latest.put(each.subject, number);
            assertTrue(before == null || before < number, () -> each.subject + ": " + number + " after " + before);
        }
        assertEquals(7, latest.size());
        client.shutdown();
    }

    private void settle(Sent message, Random random) {
        switch (random.nextInt(200)) {
            case 0 -> refuse(message);
            case 1 -> message.cancel();
            case 2 -> {
                message.store();
                message.cancel();
            }
            case 3 -> {
                stream.disconnect();
                message.cancel();
            }
            default -> message.acknowledge();
        }
    }

    @Test
    void deliver_sameEventsReadAgainAfterARewind_areSentAgain() throws Exception {
        outlet.deliver(Chunks.messages(1, 3, 2), 1);
        outlet.deliver(Chunks.messages(1, 3, 2), 2);
        assertEquals(6, stream.sent.size());
        assertEquals(3, stream.stored.size());
        assertEquals(Set.of("store-1", "store-2", "store-3"), new HashSet<>(stream.idsStored()));
    }

    @Test
    void deliver_eventTooLarge_goesOutAsGapAtItsPlace() throws Exception {
        int largest = 1_500;
        stream.script(message -> {
            if (message.payload.length > largest) {
                message.refuse(LARGER_THAN_THE_STREAM_TAKES, "message size exceeds maximum allowed");
            } else {
                message.acknowledge();
            }
        });
        List<OutletEvent> events = List.of(
                Chunks.message(1, "d", 10),
                Chunks.message(2, "d", largest),
                Chunks.message(3, "d", FakeStream.MOST_BYTES),
                Chunks.message(4, "d", 10));
        outlet.deliver(events, 1);
        assertEquals(ids(events), stream.idsStored());
        assertEquals("io.heartwheel.gap", json(stream.stored.get(1)).get("type").asText());
        assertEquals("io.heartwheel.gap", json(stream.stored.get(2)).get("type").asText());
        assertEquals(
                "{\"data\":1}",
                json(stream.stored.get(2)).get("data").get("lost").toString());
        assertTrue(stream.stored.get(2).subject.startsWith("e.gap."), stream.stored.get(2).subject);
        assertEquals(2, outlet.oversized());
        assertEquals(5, stream.sent.size(), "what the server would refuse is not sent");
    }

    @Test
    void deliver_gapTooLarge_fails() {
        stream.script(message -> message.refuse(LARGER_THAN_THE_STREAM_TAKES, "message size exceeds maximum allowed"));
        assertTrue(failed(Chunks.messages(1, 1, 1)).contains("message size exceeds maximum allowed"));
        assertEquals(0, outlet.oversized());
    }

    @Test
    void deliver_noStream_namesTheSubjectAndWhatToMake() {
        stream.script(Sent::noStream);
        String said = failed(Chunks.messages(1, 1, 1));
        assertTrue(
                said.endsWith("0 of 1 events acknowledged: no stream takes the subject e.data.ef.ZGV2aWNlLTA:"
                        + " make one with the subjects e.*.*.*, or switch JetStream on"),
                said);
    }

    @Test
    void deliver_connectionLost_isToldAndMadeAnew() throws Exception {
        stream.script(message -> {
            stream.disconnect();
            message.cancel();
        });
        String said = failed(Chunks.messages(1, 2, 1));
        assertTrue(said.endsWith("0 of 2 events acknowledged: the connection was lost"), said);
        stream.script(Sent::acknowledge);
        outlet.deliver(Chunks.messages(1, 2, 1), 2);
        stream.disconnect(); // while there is nothing to deliver
        outlet.deliver(Chunks.messages(3, 3, 1), 1);
        assertEquals(3, stream.opened);
    }

    @Test
    void deliver_noServer_failsAndTriesAgain() throws Exception {
        stream.refusesConnections = true;
        assertEquals("NATS nats://h:4222: ConnectException: Connection refused", failed(Chunks.messages(1, 1, 1)));
        stream.refusesConnections = false;
        outlet.deliver(Chunks.messages(1, 1, 1), 2);
        assertEquals(List.of("store-1"), stream.idsStored());
    }

    @Test
    void deliver_interrupted_endsAndCloses() {
        stream.script(message -> Thread.currentThread().interrupt());
        assertThrows(InterruptedException.class, () -> outlet.deliver(Chunks.messages(1, 2, 1), 1));
        assertFalse(Thread.interrupted(), "the exception stands for the flag");
        assertTrue(stream.isClosed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "heartwheel.events.{kind}.{hash}", "{device}", "a-{kind}_1.B"})
    void template_ofTokens_isOne(String text) {
        assertTrue(SubjectTemplate.isTemplate(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "a.", ".a", "a..b", "a b", "a.*", "a.>", "{id}", "{kind", "$JS.API", "_INBOX.a", "ä"})
    void template_ofAnythingElse_isNone(String text) {
        assertFalse(SubjectTemplate.isTemplate(text));
        assertFalse(SubjectTemplate.isTemplate("a".repeat(129)));
    }
}
