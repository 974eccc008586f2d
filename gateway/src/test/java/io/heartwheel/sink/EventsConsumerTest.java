package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The consumer of events.md, as it stands there and as its twin in Java, over {@link PresenceWorld}s: after the next snapshot it knows who is connected. */
class EventsConsumerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Worlds that the twin goes through; thousands by hand. */
    private static final int WORLDS = Integer.getInteger("consumer.worlds", 150);

    @TempDir
    Path scratch;

    /** The program of the page, line by line. */
    private static final class Twin implements Consumer<String> {
        /** Of the (incarnation, snapshot) of an instance. */
        private record Generation(long incarnation, long snapshot) {
            boolean isBefore(Generation other) {
                return incarnation != other.incarnation ? incarnation < other.incarnation : snapshot < other.snapshot;
            }
        }

        private record Key(String instance, Generation generation) {}

        private final Map<String, ObjectNode> newest = new HashMap<>();
        private final Map<String, Long> started = new HashMap<>();
        private final Map<String, Generation> complete = new HashMap<>();
        private final Map<Key, Set<Long>> presents = new HashMap<>();
        private final Map<Key, Long> devices = new HashMap<>();
        private final Set<Key> begun = new HashSet<>();

        private static int age(JsonNode one, JsonNode other) {
            int byEpoch = Long.compareUnsigned(
                    one.get("epoch").asLong(), other.get("epoch").asLong());
            long gone = 1L << 32;
            int bySequence = Long.compare(
                    one.path("sequence").asLong(gone), other.path("sequence").asLong(gone));
            return byEpoch != 0 ? byEpoch : bySequence != 0 ? bySequence : Long.compare(snapshot(one), snapshot(other));
        }

        private static long snapshot(JsonNode event) {
            return event.path("snapshot").asLong();
        }

        private static Generation generation(JsonNode event) {
            return new Generation(event.path("incarnation").asLong(), snapshot(event));
        }

        @Override
        public void accept(String line) {
            ObjectNode event = read(line);
            String kind = event.get("event").asText();
            String instance = event.path("instance").asText();
            started.merge(instance, event.path("incarnation").asLong(), Math::max);
            if (event.has("device")) {
                ObjectNode known = newest.get(event.get("device").asText());
                if (known != null && known.get("epoch").equals(event.get("epoch")) && !event.has("snapshot")) {
                    event.put("snapshot", snapshot(known));
                }
                if (known == null || age(event, known) >= 0) {
                    newest.put(event.get("device").asText(), event);
                }
            }
            if (kind.equals("snapshot") || kind.equals("present")) {
                part(kind, new Key(instance, generation(event)), event);
            }
        }

        private void part(String kind, Key key, JsonNode event) {
            Set<Long> present = presents.computeIfAbsent(key, none -> new HashSet<>());
            if (kind.equals("present")) {
                present.add(event.get("session").asLong());
            } else if (event.get("state").asText().equals("begun")) {
                begun.add(key);
            } else {
                devices.put(key, event.get("devices").asLong());
            }
            if (begun.contains(key) && devices.getOrDefault(key, -1L) == present.size()) {
                complete.merge(key.instance, key.generation, (before, now) -> before.isBefore(now) ? now : before);
                presents.remove(key);
                begun.remove(key);
                devices.remove(key);
            }
        }

        private boolean isConnected(ObjectNode event) {
            String instance = event.path("instance").asText();
            boolean over = event.path("incarnation").asLong() < started.get(instance);
            boolean missing = generation(event).isBefore(complete.getOrDefault(instance, new Generation(0, 0)));
            return !over
                    && !missing
                    && !Set.of("disconnected", "taken-over")
                            .contains(event.get("event").asText());
        }

        Set<String> connected() {
            return newest.entrySet().stream()
                    .filter(each -> isConnected(each.getValue()))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static ObjectNode read(String line) {
        try {
            return (ObjectNode) JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lines of a device from one gateway stay in order, others do not; some come again. */
    private static List<String> shuffled(List<String> lines, SplittableRandom random) {
        Map<String, Deque<String>> partitions = new LinkedHashMap<>();
        for (String line : lines) {
            JsonNode event = read(line);
            String key =
                    event.path("instance").asText() + " " + event.path("device").asText();
            partitions.computeIfAbsent(key, none -> new ArrayDeque<>()).add(line);
        }
        List<Deque<String>> open = new ArrayList<>(partitions.values());
        List<String> merged = new ArrayList<>();
        while (!open.isEmpty()) {
            int which = random.nextInt(open.size());
            Deque<String> partition = open.get(which);
            merged.add(partition.remove());
            if (partition.isEmpty()) {
                open.remove(which);
            }
            if (random.nextInt(20) == 0) {
                merged.add(merged.get(random.nextInt(merged.size())));
            }
        }
        return merged;
    }

    @Test
    void twin_ofThePage_isNeverWrongAfterTheNextSnapshot() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        for (int i = 0; i < WORLDS; i++) {
            long worldSeed = seed + i;
            SplittableRandom random = new SplittableRandom(worldSeed);
            List<String> all = new ArrayList<>();
            Twin twin = new Twin();
            PresenceWorld world = new PresenceWorld(random, twin.andThen(all::add));
            for (int phase = 0; phase < 6; phase++) {
                for (int moves = random.nextInt(300); moves > 0; moves--) {
                    world.move();
                }
                world.settle();
                String when = "phase " + phase + ", test.seed=" + worldSeed;
                assertEquals(world.connected(), twin.connected(), () -> "in order, " + when);
            }
            Twin other = new Twin();
            shuffled(all, random).forEach(other);
            assertEquals(world.connected(), other.connected(), () -> "out of order, test.seed=" + worldSeed);
        }
    }

    private static String program() throws IOException {
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
        Files.write(in, lines);
        Process python = new ProcessBuilder("python3", "-c", program())
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

    @RepeatedTest(3)
    void program_ofThePage_knowsWhoIsConnected(RepetitionInfo repetition) throws Exception {
        String[] path = System.getenv("PATH").split(File.pathSeparator);
        boolean python = Stream.of(path).anyMatch(each -> Files.isExecutable(Path.of(each, "python3")));
        assumeTrue(python, "there is no python3");
        long seed = Long.getLong("test.seed", System.nanoTime()) + repetition.getCurrentRepetition() - 1;
        SplittableRandom random = new SplittableRandom(seed);
        List<String> all = new ArrayList<>();
        PresenceWorld world = new PresenceWorld(random, all::add);
        for (int i = 0; i < 2_000; i++) {
            world.move();
        }
        world.settle();

        assertEquals(world.connected(), consume(all), () -> "in order, test.seed=" + seed);
        assertEquals(world.connected(), consume(shuffled(all, random)), () -> "out of order, test.seed=" + seed);
    }
}
