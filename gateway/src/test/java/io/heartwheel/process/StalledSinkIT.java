package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sink into a pipe that nobody reads for a while: nothing is lost silently, and nobody is closed for it. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class StalledSinkIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PLAIN = 4;
    /** More than the queue and the pipe take: each peer waits. */
    private static final int MESSAGES = 4_000;

    private static final List<String> ALL =
            IntStream.range(0, MESSAGES).mapToObj(number -> "message " + number).toList();
    private static final int CONNECTS = 201;
    private static final int INTERVAL_MILLIS = 4_000;
    /** Longer than the plain peers' interval x grace. */
    private static final long STALL_MILLIS = 2 * INTERVAL_MILLIS;

    @TempDir
    private Path scratch;

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<JsonNode> events = Collections.synchronizedList(new ArrayList<>());

    /** Opens the pipe, so that the gateway can; reads it when told to. */
    private FutureTask<Void> reader() throws Exception {
        Path pipe = scratch.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        return Background.run(() -> {
            try (BufferedReader in = Files.newBufferedReader(pipe)) {
                goOn.await();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    events.add(JSON.readTree(line));
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 2_048})
    void sink_thatIsNotRead_losesNothingWithoutAWord(int queue) throws Exception {
        FutureTask<Void> reader = reader();
        List<WebSocketWire> plain = new ArrayList<>();
        ScheduledExecutorService beats = Executors.newScheduledThreadPool(PLAIN);
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", scratch.resolve("pipe"))
                .set("sink.queue", queue)
                .start()) {
            for (int i = 0; i < PLAIN; i++) {
                String target = "/ws/plain-" + i + "?heartbeat_ms=" + INTERVAL_MILLIS;
                WebSocketWire peer = WebSocketWire.plain(gateway.webSocket(), target);
                plain.add(peer);
                Background.run(() -> sendAll(peer));
                beats.scheduleWithFixedDelay(() -> beat(peer), 300, 300, TimeUnit.MILLISECONDS);
            }
            Await.until(
                    "nobody who cannot be told is read",
                    () -> gateway.metrics().sum("heartwheel_sink_waiting_peers") == PLAIN);
            for (int i = 0; i < CONNECTS; i++) {
                WireClient.hello(gateway.tcp(), "device-" + i).close();
            }
            try (WireClient told = WireClient.hello(gateway.tcp(), "told")) {
                told.data(7, WireFrame.WANTS_ACK | WireFrame.TEXT, "not now");
                assertEquals(1, told.expect(WireFrame.ACK).status());
            }
            TimeUnit.MILLISECONDS.sleep(STALL_MILLIS);
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));

            goOn.countDown();
            Await.until("all messages", () -> events("data").size() >= PLAIN * MESSAGES);
            Await.until("every connect", () -> count("connected") >= PLAIN + CONNECTS + 1);
            Await.until("every disconnect", () -> count("disconnected") >= CONNECTS + 1);
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_waiting_peers"));
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_messages_total", "outcome=\"lost\""));
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));
            assertTrue(queue == 16 || lost("connected") + lost("disconnected") == 0, "the reserve has room for them");
        } finally {
            beats.shutdownNow();
            goOn.countDown();
            for (WebSocketWire peer : plain) {
                peer.close();
            }
        }
        reader.get();
        assertEquals(PLAIN + CONNECTS + 1, count("connected"), "told or counted as lost, exactly");
        for (int i = 0; i < PLAIN; i++) {
            assertEquals(ALL, said("plain-" + i));
        }
    }

    @Test
    void device_thatEndsItsStreamWhileItWaits_isHeardToTheEnd() throws Exception {
        FutureTask<Void> reader = reader();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", scratch.resolve("pipe"))
                        .set("sink.queue", "16")
                        .start();
                WireClient device = WireClient.hello(gateway.tcp(), "untold");
                WebSocketWire wrapped = WebSocketWire.frames(gateway.webSocket())) {
            List<String> few = ALL.subList(0, MESSAGES / 3);
            wrapped.send(WebSocketWire.BINARY, WireFrame.hello("wrapped"));
            wrapped.expect(WebSocketWire.BINARY);
            for (String message : few) {
                device.data(1, WireFrame.TEXT, message);
                wrapped.send(WebSocketWire.BINARY, WireFrame.data(1, WireFrame.TEXT, message));
            }
            device.data(MESSAGES, WireFrame.WANTS_ACK | WireFrame.TEXT, "the last");
            Await.until("both wait", () -> gateway.metrics().sum("heartwheel_sink_waiting_peers") == 2);
            JsonNode why = gateway.ask("/v1/devices/untold/why");
            assertEquals("sink", why.at("/traffic/paused_by/0").asText(), why::toString);
            device.finish();
            wrapped.socket().shutdownOutput();
            TimeUnit.SECONDS.sleep(2);
            assertEquals(0, gateway.metrics().closes("peer_closed"));

            goOn.countDown();
            device.expect(WireFrame.ACK);
            device.expectEnd();
            wrapped.expect(WebSocketWire.CLOSE);
            wrapped.expectEnd();
            Await.until("all of it", () -> count("disconnected") >= 2);
            for (String name : List.of("untold", "wrapped")) {
                assertEquals(few, said(name).subList(0, few.size()));
            }
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_messages_total", "outcome=\"lost\""));
        } finally {
            goOn.countDown();
        }
        reader.get();
    }

    /** Whoever reads the pipe hangs, not the gateway: another process would stand there as well, and without its devices. */
    @Test
    void sink_thatIsNotReadForLong_isNamedAndTheProcessGoesOn() throws Exception {
        FutureTask<Void> reader = reader();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", scratch.resolve("pipe"))
                .start()) {
            for (int i = 0; i < MESSAGES; i++) {
                WireClient.hello(gateway.tcp(), "device-" + i).close();
            }
            gateway.mayTellOfAFault();
            // the time counts in looks, once a second if the machine lets them
            gateway.awaitWithin(
                    Duration.ofMinutes(2),
                    "longer than a thread of the disk may stand still",
                    () -> gateway.metrics().sum("heartwheel_thread_still_seconds", "thread=\"heartwheel-event-sink\"")
                            > 41);
            gateway.awaitLog("thread heartwheel-event-sink has stood still for");
            assertEquals(200, gateway.status("GET", "/healthz"));
            goOn.countDown();
            Await.until("every disconnect", () -> count("disconnected") >= MESSAGES);
        } finally {
            goOn.countDown();
        }
        reader.get();
    }

    private static void sendAll(WebSocketWire peer) throws IOException {
        for (String message : ALL) {
            synchronized (peer) {
                peer.text(message);
            }
        }
    }

    private static void beat(WebSocketWire peer) {
        try {
            synchronized (peer) {
                peer.send(WebSocketWire.PONG);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<JsonNode> events(String kind) {
        return Stream.of(events.toArray(JsonNode[]::new))
                .filter(event -> event.get("event").asText().equals(kind))
                .toList();
    }

    /** What this device said, in the order of the file. */
    private List<String> said(String device) {
        return events("data").stream()
                .filter(event -> event.get("device").asText().equals(device))
                .map(event -> event.get("text").asText())
                .toList();
    }

    private long lost(String kind) {
        return events("gap").stream()
                .mapToLong(gap -> gap.get("lost").path(kind).asLong())
                .sum();
    }

    private long count(String kind) {
        return events(kind).size() + lost(kind);
    }
}
