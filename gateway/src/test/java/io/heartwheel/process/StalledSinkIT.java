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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
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
    private static final int MESSAGES = 1_250;
    private static final int CONNECTS = 201;
    /** Longer than the plain peers' interval x grace. */
    private static final long STALL_MILLIS = 4_000;

    @TempDir
    private Path scratch;

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    /** Opens the pipe, so that the gateway can; reads it when told to. */
    private CompletableFuture<Void> reader(Path pipe) {
        return CompletableFuture.runAsync(
                () -> {
                    try (BufferedReader in = Files.newBufferedReader(pipe)) {
                        goOn.await();
                        in.lines().forEach(lines::add);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                task -> new Thread(task, "reader of the pipe").start());
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 2_048})
    void sink_thatIsNotRead_losesNothingWithoutAWord(int queue) throws Exception {
        Path pipe = scratch.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        CompletableFuture<Void> reader = reader(pipe);
        List<WebSocketWire> plain = new ArrayList<>();
        ScheduledExecutorService senders = Executors.newScheduledThreadPool(PLAIN);
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", pipe.toString())
                .set("sink.queue", Integer.toString(queue))
                .start()) {
            for (int i = 0; i < PLAIN; i++) {
                WebSocketWire peer = WebSocketWire.plain(gateway.webSocket(), "/ws/plain-" + i + "?heartbeat_ms=2000");
                plain.add(peer);
                senders.execute(() -> sendAll(peer));
                senders.scheduleWithFixedDelay(() -> beat(peer), 300, 300, TimeUnit.MILLISECONDS);
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
            Await.until("all messages", () -> texts().size() >= PLAIN * MESSAGES);
            Await.until("every connect", () -> count("connected") >= PLAIN + CONNECTS + 1);
            Await.until("every disconnect", () -> count("disconnected") >= CONNECTS + 1);
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_waiting_peers"));
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_messages_total", "outcome=\"lost\""));
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));
            assertTrue(queue == 16 || lost("connected") + lost("disconnected") == 0, "the reserve has room for them");
        } finally {
            senders.shutdownNow();
            goOn.countDown();
            for (WebSocketWire peer : plain) {
                peer.close();
            }
        }
        reader.get();
        assertEquals(PLAIN + CONNECTS + 1, count("connected"), "told or counted as lost, exactly");
        List<String> texts = texts();
        for (int i = 0; i < PLAIN; i++) {
            for (int number = 0; number < MESSAGES; number++) {
                assertEquals(i + " " + number, texts.get(i * MESSAGES + number));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void device_thatEndsItsStreamWhileItWaits_isHeardToTheEnd(String kind) throws Exception {
        Path pipe = scratch.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        CompletableFuture<Void> reader = reader(pipe);
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", pipe.toString())
                        .set("sink.queue", "16", "transport.kind", kind)
                        .start();
                WireClient device = WireClient.hello(gateway.tcp(), "untold");
                WebSocketWire wrapped = WebSocketWire.frames(gateway.webSocket())) {
            wrapped.send(WebSocketWire.BINARY, WireFrame.hello("wrapped"));
            wrapped.expect(WebSocketWire.BINARY);
            for (int number = 0; number < MESSAGES; number++) {
                device.data(number, WireFrame.TEXT, "message " + number);
                wrapped.send(WebSocketWire.BINARY, WireFrame.data(number, WireFrame.TEXT, "message " + number));
            }
            device.data(MESSAGES, WireFrame.WANTS_ACK | WireFrame.TEXT, "the last");
            Await.until("both wait", () -> gateway.metrics().sum("heartwheel_sink_waiting_peers") == 2);
            JsonNode why = gateway.admin("GET", "/v1/devices/untold/why").json();
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
                List<Integer> ids = events("data").stream()
                        .filter(event -> event.get("device").asText().equals(name))
                        .map(event -> event.get("id").asInt())
                        .filter(id -> id < MESSAGES)
                        .toList();
                assertEquals(IntStream.range(0, MESSAGES).boxed().toList(), ids);
            }
            assertEquals(0, gateway.metrics().sum("heartwheel_sink_messages_total", "outcome=\"lost\""));
        } finally {
            goOn.countDown();
        }
        reader.get();
    }

    private static void sendAll(WebSocketWire peer) {
        try {
            for (int number = 0; number < MESSAGES; number++) {
                synchronized (peer) {
                    peer.text("message " + number);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        List<JsonNode> found = new ArrayList<>();
        for (String line : List.copyOf(lines)) {
            try {
                JsonNode event = JSON.readTree(line);
                if (event.get("event").asText().equals(kind)) {
                    found.add(event);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(line, e);
            }
        }
        return found;
    }

    /** What plain peers said, by peer, each in the order of the file. */
    private List<String> texts() {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < PLAIN; i++) {
            String peer = "plain-" + i;
            int number = i;
            events("data").stream()
                    .filter(event -> event.get("device").asText().equals(peer))
                    .forEach(event ->
                            said.add(number + event.get("text").asText().substring("message".length())));
        }
        return said;
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
