package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Lost;
import io.heartwheel.event.ConnectionEvent.Message;
import io.heartwheel.event.ConnectionEvent.Present;
import io.heartwheel.event.ConnectionEvent.Suspect;
import io.heartwheel.event.ConnectionEvent.TakenOver;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.Incarnation;
import io.heartwheel.event.Snapshot;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/**
 * The consumer of events.md, as it stands there, is given what the encoder makes of random lives: devices come, go, are taken over, the gateway crashes, events are
 * lost, come again, and come out of order between devices. At the end it knows who is connected.
 */
class EventsConsumerTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path scratch;

    /** A gateway that crashes and loses events, and what becomes of its devices. */
    private static final class Life {
        private static final int DEVICES = 60;

        private final SplittableRandom random;
        final List<String> lines = new ArrayList<>();
        /** By device, or the empty name: lines that stay in their order. */
        final Map<String, Deque<String>> queues = new LinkedHashMap<>();

        private final TreeMap<String, Identity> connected = new TreeMap<>();
        private final Map<Long, Long> sequences = new HashMap<>();
        private long atMillis = Events.AT;
        private long epoch = 1_700_000_000_000_000L;
        private long session;
        private long incarnation = 1;
        private long snapshots;
        private boolean losing;
        private long lost;

        Life(long seed) {
            random = new SplittableRandom(seed);
            publish("", new Incarnation(atMillis, 1, 0, false, "0.1.0"));
        }

        private void publish(String device, Fact fact) {
            atMillis++;
            if (losing) {
                lost++;
                return;
            }
            EventEncoder encoder = new EventEncoder();
            encoder.nameIncarnation(incarnation);
            assertTrue(encoder.append(fact));
            String line = StandardCharsets.UTF_8.decode(encoder.lines()).toString();
            lines.add(line);
            queues.computeIfAbsent(device, key -> new ArrayDeque<>()).add(line);
        }

        private long next(Identity identity) {
            return sequences.merge(identity.sessionId(), 1L, Long::sum);
        }

        private void connect(String device) {
            Identity before = connected.get(device);
            Identity now = new Identity(device, ++session, ++epoch);
            connected.put(device, now);
            publish(device, connectedEvent(now));
            if (before != null) {
                publish(device, new TakenOver(evidence(before, CloseReason.TAKEN_OVER), next(before)));
            }
        }

        private Connected connectedEvent(Identity now) {
            next(now);
            return new Connected(now, atMillis, "heartwheel", "10.0.0.1:5000", "", "", 60_000);
        }

        private Evidence evidence(Identity of, CloseReason reason) {
            return FactJsonTest.bare(of, atMillis, reason, null);
        }

        void move() {
            String device = "d" + random.nextInt(DEVICES);
            Identity there = connected.get(device);
            if (there == null || random.nextInt(10) == 0) {
                connect(device);
                return;
            }
            ConnectionEvent event =
                    switch (random.nextInt(3)) {
                        case 0 -> new Message(there, next(there), atMillis, 0, true, new byte[] {'x'});
                        case 1 -> new Suspect(there, next(there), atMillis);
                        default -> new Disconnected(evidence(there, CloseReason.PEER_CLOSED), next(there));
                    };
            if (event instanceof Disconnected) {
                connected.remove(device);
            }
            publish(device, event);
        }

        void crash() {
            Map<String, Identity> before = new TreeMap<>(connected);
            connected.clear();
            session = 0;
            sequences.clear();
            losing = false;
            incarnation++;
            epoch += 1_000;
            publish("", new Incarnation(atMillis, incarnation, incarnation - 1, false, "0.1.0"));
            for (int i = 0; i < DEVICES; i++) {
                move();
            }
            before.forEach((device, identity) -> {
                if (!connected.containsKey(device)) {
                    publish(device, new Lost(identity, atMillis, incarnation - 1, atMillis - 10_000));
                }
            });
        }

        /** Events are lost, and a snapshot follows, during which life goes on. */
        void lose() {
            losing = true;
            for (int i = 0; i < 40; i++) {
                move();
            }
            losing = false;
            publish("", new Gap(atMillis, atMillis - 40, atMillis, Map.of("connected", lost)));
            atMillis += 1_000;
            if (random.nextBoolean()) {
                publish("", new Snapshot(atMillis, ++snapshots, false, Snapshot.Cause.GAP, connected.size()));
                connected.values().stream().limit(5).toList().forEach(this::present);
                // something is lost again: it is not ended
            }
            publish("", new Snapshot(atMillis, ++snapshots, false, Snapshot.Cause.GAP, connected.size()));
            long told = 0;
            for (Identity each : List.copyOf(connected.values())) {
                if (random.nextInt(3) == 0) {
                    move();
                }
                if (each.equals(connected.get(each.deviceId()))) {
                    present(each);
                    told++;
                }
            }
            publish("", new Snapshot(atMillis, snapshots, true, Snapshot.Cause.GAP, told));
        }

        private void present(Identity each) {
            long sequence = sequences.get(each.sessionId());
            Fact present = new Present(
                    each, sequence, atMillis, snapshots, "heartwheel", "10.0.0.1:5000", "", "", 60_000, 1_000);
            publish(each.deviceId(), present);
        }

        /** Lines of a device stay in order, those of different devices do not; some come again. */
        List<String> shuffled() {
            List<String> merged = new ArrayList<>();
            List<Deque<String>> open =
                    queues.values().stream().map(ArrayDeque::new).collect(Collectors.toCollection(ArrayList::new));
            while (!open.isEmpty()) {
                int which = random.nextInt(open.size());
                Deque<String> queue = open.get(which);
                merged.add(queue.remove());
                if (queue.isEmpty()) {
                    open.remove(which);
                }
                if (random.nextInt(20) == 0) {
                    merged.add(merged.get(random.nextInt(merged.size())));
                }
            }
            return merged;
        }
    }

    private static String consumer() throws IOException {
        List<String> program = Files.readAllLines(Path.of("docs/events.md")).stream()
                .dropWhile(line -> !line.equals("```python"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .toList();
        assertTrue(program.size() > 20 && program.size() < 45, () -> program.size() + " lines");
        return String.join("\n", program);
    }

    private Set<String> consume(List<String> lines) throws Exception {
        Path in = scratch.resolve("in");
        Path out = scratch.resolve("out");
        Files.writeString(in, String.join("", lines));
        Process python = new ProcessBuilder("python3", "-c", consumer())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertTrue(python.waitFor(60, TimeUnit.SECONDS), "python hangs");
        assertEquals(0, python.exitValue());
        TreeSet<String> devices = new TreeSet<>();
        JSON.readTree(Files.readString(out)).forEach(device -> devices.add(device.asText()));
        return devices;
    }

    @BeforeAll
    static void assumePython() {
        String[] path = System.getenv("PATH").split(File.pathSeparator);
        assumeTrue(
                Stream.of(path).anyMatch(each -> Files.isExecutable(Path.of(each, "python3"))), "there is no python3");
    }

    @RepeatedTest(8)
    void consumer_ofThePage_knowsWhoIsConnected() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Life life = new Life(seed);
        SplittableRandom random = new SplittableRandom(seed + 1);
        for (int i = 0; i < 8; i++) {
            for (int moves = random.nextInt(200); moves > 0; moves--) {
                life.move();
            }
            if (random.nextBoolean()) {
                life.lose();
            } else {
                life.crash();
            }
        }
        TreeSet<String> there = new TreeSet<>(life.connected.keySet());

        assertEquals(there, consume(life.lines), () -> "in order, seed " + seed);
        assertEquals(there, consume(life.shuffled()), () -> "out of order, seed " + seed);
    }
}
