package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The journal of a real gateway, and its outlet to a file: what is in there, before and after its process is killed. */
@Execution(ExecutionMode.CONCURRENT)
class JournalIT {
    private static final int MESSAGES = 20;
    private static final int DEVICES = 50;

    @TempDir
    private Path scratch;

    private GatewaySetup setup() {
        return GatewayProcess.with("sink.kind", "journal", "presence.settle", "10s")
                .set("journal.directory", scratch.resolve("journal"))
                .set("outlets.log.kind", "file", "outlets.log.file", file());
    }

    private Path file() {
        return scratch.resolve("events.jsonl");
    }

    private List<JsonNode> events() throws Exception {
        return EventLines.read(file());
    }

    private long count(String kind) throws Exception {
        return EventLines.count(kind, file());
    }

    private static void tell(WireClient device, long id, String text) throws IOException {
        device.data(id, WireFrame.WANTS_ACK | WireFrame.TEXT, text);
        WireFrame ack = device.next(WireFrame.ACK);
        assertEquals(id, ack.id());
        assertEquals(0, ack.status());
    }

    @Test
    void file_livesOfDevices_areWholeAndInOrder() throws Exception {
        List<String> names = List.of("müller", "meier");
        try (GatewayProcess gateway = setup().start()) {
            List<WireClient> devices = new ArrayList<>();
            for (String name : names) {
                devices.add(WireClient.hello(gateway.tcp(), name));
            }
            for (int i = 1; i <= MESSAGES; i++) {
                for (WireClient device : devices) {
                    tell(device, i, "hé \"" + i + "\"\n");
                }
            }
            for (WireClient device : devices) {
                device.close();
            }
            Await.until("both ends", () -> count("disconnected") == 2);
        }
        List<JsonNode> events = events();
        assertEquals(1 + names.size() * (MESSAGES + 2), events.size());
        JsonNode start = events.get(0);
        assertEquals("incarnation", EventLines.kind(start));
        long number = start.get("number").asLong();
        assertTrue(events.stream().allMatch(event -> event.get("incarnation").asLong() == number), events::toString);
        assertFalse(start.has("previous"), start::toString);
        for (String name : names) {
            List<JsonNode> life = EventLines.ofDevice(name, events);
            for (int i = 0; i < life.size(); i++) {
                JsonNode event = life.get(i);
                assertEquals(i + 1, event.get("sequence").asInt());
                String kind = i == 0 ? "connected" : i <= MESSAGES ? "data" : "disconnected";
                assertEquals(kind, EventLines.kind(event));
                if (kind.equals("data")) {
                    assertEquals(i, event.get("id").asInt());
                    assertEquals("hé \"" + i + "\"\n", event.get("text").asText());
                }
            }
            assertEquals(MESSAGES + 2, life.size());
        }
    }

    @Test
    void kill_andStartAgain_tellsWhatBecameOfEachDevice() throws Exception {
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        List<WireClient> devices = new ArrayList<>();
        ExecutorService saying = Executors.newCachedThreadPool();
        try (GatewayProcess gateway = setup().start()) {
            for (int i = 0; i < DEVICES; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "device-" + i));
            }
            for (int i = 0; i < DEVICES; i++) {
                int number = i;
                saying.execute(() -> sayUntilTheEnd(devices.get(number), number, acknowledged));
            }
            Await.until("messages under way", () -> acknowledged.size() >= 10 * DEVICES);
            gateway.signal("KILL");
            assertEquals(128 + 9, gateway.awaitExit());
        } finally {
            saying.shutdown();
        }
        assertTrue(saying.awaitTermination(Await.LONG.toSeconds(), TimeUnit.SECONDS));
        for (WireClient device : devices) {
            device.close();
        }
        int back = DEVICES / 2;
        try (GatewayProcess gateway = setup().start()) {
            devices.clear();
            for (int i = 0; i < back; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "device-" + i));
            }
            gateway.awaitLog("ended without a word");
            gateway.awaitLog(DEVICES + " devices were cut off by it");
            Await.until("those that stay away", () -> count("disconnected") >= DEVICES - back);
            gateway.awaitLog(back + " are back, " + (DEVICES - back) + " were told lost");
            gateway.terminate();
        }
        for (WireClient device : devices) {
            device.nextClose(4200);
            device.close();
        }
        try (GatewayProcess gateway = setup().start()) {
            Await.until("the third start", () -> starts().size() == 3);
            assertTrue(gateway.isAlive());
        }
        // the outlet may write again what it had written just before it was killed
        List<JsonNode> events = events().stream().distinct().toList();
        Set<String> ids =
                events.stream().map(event -> event.get("event_id").asText()).collect(Collectors.toSet());
        assertEquals(events.size(), ids.size());
        acknowledged.removeAll(EventLines.of("data", events).stream()
                .map(event -> event.get("text").asText())
                .collect(Collectors.toSet()));
        assertEquals(Set.of(), acknowledged, "acknowledged and lost");
        assertStarts(starts());
        assertSecondLife(events, back);
    }

    private static void sayUntilTheEnd(WireClient device, int number, Set<String> acknowledged) {
        try {
            for (int id = 1; ; id++) {
                String text = "message " + id + " of " + number;
                tell(device, id, text);
                acknowledged.add(text);
            }
        } catch (IOException e) {
            // the gateway is killed
        }
    }

    /** The outlet may write again what it had written just before it was killed, and that may be all. */
    private List<JsonNode> starts() throws Exception {
        return EventLines.of("incarnation", events()).stream().distinct().toList();
    }

    private static void assertStarts(List<JsonNode> starts) {
        for (int i = 1; i <= 2; i++) {
            long previous = starts.get(i - 1).get("number").asLong();
            assertTrue(starts.get(i).get("number").asLong() > previous, starts::toString);
            assertEquals(previous, starts.get(i).get("previous").asLong());
            assertEquals(i == 2, starts.get(i).get("previous_ended").asBoolean());
        }
    }

    /** From the second start on: who came back is connected and then sent away, who did not is lost, each once, and nothing else. */
    private static void assertSecondLife(List<JsonNode> events, int back) {
        long firstNumber = events.get(0).get("number").asLong();
        int start = IntStream.range(0, events.size())
                .filter(i -> events.get(i).get("incarnation").asLong() > firstNumber)
                .findFirst()
                .orElseThrow();
        assertEquals("incarnation", EventLines.kind(events.get(start)));
        long secondNumber = events.get(start).get("number").asLong();
        List<JsonNode> after = events.subList(start, events.size());
        for (int i = 0; i < DEVICES; i++) {
            List<JsonNode> first = EventLines.ofDevice("device-" + i, events.subList(0, start));
            assertEquals("connected", EventLines.kind(first.get(0)));
            assertEquals(firstNumber, first.get(0).get("incarnation").asLong());
            List<Integer> sequence =
                    first.stream().map(event -> event.get("sequence").asInt()).toList();
            assertEquals(IntStream.rangeClosed(1, sequence.size()).boxed().toList(), sequence);
            List<JsonNode> second = EventLines.ofDevice("device-" + i, after);
            boolean came = i < back;
            assertEquals(
                    came ? List.of("connected", "disconnected") : List.of("disconnected"),
                    second.stream().map(EventLines::kind).toList());
            JsonNode last = second.get(second.size() - 1);
            for (JsonNode event : second) {
                assertEquals(
                        came ? secondNumber : firstNumber,
                        event.get("incarnation").asLong(),
                        event::toString);
            }
            if (came) {
                assertEquals(4200, last.get("code").asInt());
            } else {
                assertEquals("gateway_lost", last.get("reason").asText());
                assertEquals(first.get(0).get("session"), last.get("session"));
            }
        }
    }
}
