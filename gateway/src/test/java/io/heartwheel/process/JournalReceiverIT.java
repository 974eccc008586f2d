package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A journal that fills up, because the receiver of its only outlet is down: one device waits, and nobody else notices. */
@Tag("timed")
@Execution(ExecutionMode.CONCURRENT)
class JournalReceiverIT {
    /** Together twice what the journal holds. */
    private static final int MESSAGES = 60;

    private static final int PAYLOAD_BYTES = 32 << 10;
    private static final int NEIGHBOURS = 10;
    private static final int INTERVAL_MILLIS = 1_000;

    @TempDir
    private Path scratch;

    private final List<WireFrame> acknowledged = Collections.synchronizedList(new ArrayList<>());

    @Test
    void journal_thatIsFull_slowsItsSenderAloneAndLosesNothing() throws Exception {
        ScheduledExecutorService beats = Executors.newScheduledThreadPool(1);
        List<WireClient> neighbours = new ArrayList<>();
        try (WebhookReceiver receiver = new WebhookReceiver();
                GatewayProcess gateway = gateway(receiver);
                WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("chatty", INTERVAL_MILLIS, 0);
            for (int i = 0; i < NEIGHBOURS; i++) {
                WireClient neighbour = WireClient.connect(gateway.tcp());
                neighbours.add(neighbour);
                neighbour.sayHello("neighbour-" + i);
                beats.scheduleWithFixedDelay(() -> beat(neighbour), 0, INTERVAL_MILLIS / 3, TimeUnit.MILLISECONDS);
            }
            FutureTask<Void> saying = Background.run(() -> sayAll(device));
            FutureTask<Void> hearing = Background.run(() -> hearAll(device));
            Await.until("a device waits", () -> gateway.metrics().sum("heartwheel_sink_waiting_peers") >= 1);
            JsonNode why = gateway.ask("/v1/devices/chatty/why");
            assertTrue(why.at("/traffic/paused_by").toString().contains("\"sink\""), why::toString);

            TimeUnit.MILLISECONDS.sleep(4 * INTERVAL_MILLIS);
            assertEquals(1, gateway.metrics().sum("heartwheel_sink_waiting_peers"));
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));
            assertTrue(
                    acknowledged.size() < MESSAGES, acknowledged.size() + " acknowledged, for which there is no room");

            receiver.open();
            // else it may be asked again only in some seconds
            assertEquals(200, gateway.status("POST", "/v1/outlets/hook/resume"));
            saying.get(Await.LONG.toSeconds(), TimeUnit.SECONDS);
            hearing.get(Await.LONG.toSeconds(), TimeUnit.SECONDS);
            Await.until(
                    "all that was acknowledged", () -> receiver.events("data").size() >= MESSAGES);
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_waiting_peers"));
            assertDelivered(receiver);
            beats.shutdown();
            assertTrue(beats.awaitTermination(10, TimeUnit.SECONDS));
            for (WireClient neighbour : neighbours) {
                neighbour.roundTrip(7);
            }
        } finally {
            beats.shutdownNow();
            for (WireClient neighbour : neighbours) {
                neighbour.close();
            }
        }
    }

    private GatewayProcess gateway(WebhookReceiver receiver) throws Exception {
        return GatewayProcess.with("sink.kind", "journal", "heartbeat.interval", "10s")
                .set("journal.directory", scratch.resolve("journal").toString())
                .set("journal.max-bytes", "1280KiB", "journal.when-full", "slow")
                .set("outlets.hook.kind", "webhook", "outlets.hook.url", receiver.url())
                .start();
    }

    private static void sayAll(WireClient device) throws IOException {
        for (int id = 1; id <= MESSAGES; id++) {
            device.send(WireFrame.data(id, WireFrame.WANTS_ACK, new byte[PAYLOAD_BYTES]));
        }
    }

    private void hearAll(WireClient device) throws IOException {
        while (acknowledged.size() < MESSAGES) {
            acknowledged.add(device.next(WireFrame.ACK));
        }
    }

    private static void beat(WireClient neighbour) {
        try {
            neighbour.ping((byte) 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertDelivered(WebhookReceiver receiver) {
        List<Long> ids = LongStream.rangeClosed(1, MESSAGES).boxed().toList();
        assertEquals(ids, acknowledged.stream().map(WireFrame::id).toList());
        assertTrue(acknowledged.stream().allMatch(ack -> ack.status() == 0), "nothing is refused");
        assertEquals(
                ids,
                receiver.events("data").stream()
                        .map(event -> event.get("id").asLong())
                        .toList());
        Set<String> connected = new HashSet<>();
        for (WebhookReceiver.Delivery delivery : receiver.deliveries()) {
            assertTrue(delivery.marked() || !delivery.repeated(), delivery::toString);
            EventLines.valid(delivery.data());
            if (EventLines.kind(delivery.data()).equals("connected")) {
                connected.add(delivery.data().get("device").asText());
            }
        }
        assertEquals(NEIGHBOURS + 1, connected.size(), connected::toString);
        assertEquals(List.of(), receiver.events("gap"));
    }
}
