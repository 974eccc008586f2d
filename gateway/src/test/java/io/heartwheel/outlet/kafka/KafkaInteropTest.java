package io.heartwheel.outlet.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.outlet.Chunks;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The outlet and Apache Kafka's own broker, which is killed in the middle. */
@Tag("interop")
class KafkaInteropTest {
    private static final int EVENTS = 10_000;
    private static final int DEVICES = 100;
    private static final int CHUNK = 500;
    private static final int MOST_ATTEMPTS = 60;

    @TempDir
    private static Path directory;

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = new KafkaBroker(directory);
        broker.start();
        // the first metadata take their time
        broker.create("warm-up", 1, Map.of());
        try (KafkaOutlet outlet = outlet("warm-up", null)) {
            deliver(outlet, Chunks.messages(1, 1, 1));
        }
    }

    @AfterAll
    static void end() throws Exception {
        broker.close();
    }

    private static KafkaOutlet outlet(String topic, Path properties) {
        return new KafkaOutlet(
                new OutletSettings.Kafka(broker.bootstrap(), topic, properties, Duration.ofSeconds(10)),
                new CloudEvent("a"));
    }

    /** As the runner does: the same events until they are there. */
    private static int deliver(KafkaOutlet outlet, List<OutletEvent> events) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                outlet.deliver(events, attempt);
                return attempt;
            } catch (OutletException e) {
                assertTrue(attempt < MOST_ATTEMPTS, () -> e.getMessage() + "\n" + broker.log());
            }
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrap(), "enable.auto.commit", false);
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofSeconds(1)).forEach(all::add);
            }
        }
        return all;
    }

    private static JsonNode json(ConsumerRecord<byte[], byte[]> record) throws Exception {
        return new ObjectMapper().readTree(record.value());
    }

    /** Key, header and value say the same; first copies of a device's events are in order; none is missing. */
    private static int repeats(List<ConsumerRecord<byte[], byte[]>> records, int events) throws Exception {
        Set<String> seen = new HashSet<>();
        Map<String, Long> latest = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            JsonNode event = json(record);
            String device = new String(record.key(), StandardCharsets.UTF_8);
            assertEquals(event.get("subject").asText(), device);
            assertEquals(event.get("data").get("device").asText(), device);
            assertEquals(
                    CloudEvent.MEDIA_TYPE,
                    new String(record.headers().lastHeader("content-type").value(), StandardCharsets.UTF_8));
            if (seen.add(event.get("id").asText())) {
                long number = event.get("data").get("sequence").asLong();
                Long before = latest.put(device, number);
                assertTrue(before == null || before < number, () -> device + ": " + number + " after " + before);
            }
        }
        assertEquals(events, seen.size());
        return records.size() - events;
    }

    @Test
    void deliver_brokerKilledInTheMiddle_losesNothingAndKeepsTheOrder() throws Exception {
        broker.create("killed", 6, Map.of());
        long beganNanos = System.nanoTime();
        int failures = 0;
        try (KafkaOutlet outlet = outlet("killed", null)) {
            for (int from = 1; from <= EVENTS; from += CHUNK) {
                List<OutletEvent> chunk = Chunks.messages(from, from + CHUNK - 1, DEVICES);
                if (from == EVENTS / 2 + 1) {
                    // while this chunk is on its way; the broker stays away until a delivery has failed
                    FutureTask<Void> killer = inBackground(() -> {
                        long before = broker.records("killed");
                        while (broker.records("killed") == before) {
                            Thread.onSpinWait();
                        }
                        broker.kill();
                        return null;
                    });
                    failures += failOnce(outlet, from);
                    killer.get();
                    FutureTask<Void> starter = inBackground(() -> {
                        broker.start();
                        return null;
                    });
                    failures += deliver(outlet, chunk) - 1;
                    starter.get();
                } else {
                    failures += deliver(outlet, chunk) - 1;
                }
            }
        }
        long tookMillis = Duration.ofNanos(System.nanoTime() - beganNanos).toMillis();
        int repeats = repeats(readAll("killed"), EVENTS);
        assertTrue(repeats > 0, "the chunk of the kill was delivered again");
        System.out.println("kafka: " + EVENTS + " events in " + tookMillis + " ms, " + failures + " failed deliveries, "
                + repeats + " repeats");
    }

    /** Delivers the chunk at this number until that fails. */
    private static int failOnce(KafkaOutlet outlet, int from) throws Exception {
        List<OutletEvent> chunk = Chunks.messages(from, from + CHUNK - 1, DEVICES);
        try {
            for (int attempt = 1; ; attempt++) {
                outlet.deliver(chunk, attempt);
            }
        } catch (OutletException expected) {
            assertTrue(expected.getMessage().startsWith("kafka 127.0.0.1:"), expected.getMessage());
            return 1;
        }
    }

    private static FutureTask<Void> inBackground(Callable<Void> task) {
        FutureTask<Void> future = new FutureTask<>(task);
        new Thread(future, "background").start();
        return future;
    }

    @Test
    void deliver_topicThatComesLater_isToldAndDelivered() throws Exception {
        List<OutletEvent> events = List.of(Chunks.message(1, "d", 10), Chunks.incarnation(2));
        try (KafkaOutlet outlet = outlet("later", null)) {
            String said = assertThrows(OutletException.class, () -> outlet.deliver(events, 1))
                    .getMessage();
            assertEquals(
                    "kafka " + broker.bootstrap() + ", topic later: 0 of 2 events acknowledged:"
                            + " the topic does not exist, or may not be seen",
                    said);
            broker.create("later", 1, Map.of());
            deliver(outlet, events);
        }
        List<ConsumerRecord<byte[], byte[]>> records = readAll("later");
        assertEquals(2, records.size());
        assertNull(records.get(1).key());
        assertFalse(json(records.get(1)).has("subject"));
    }

    @Test
    void deliver_eventLargerThanTheTopicTakes_goesOutAsGapAtItsPlace() throws Exception {
        broker.create("small", 1, Map.of("max.message.bytes", "20000"));
        Path smaller = Files.writeString(directory.resolve("smaller.properties"), "max.request.size = 60000\n");
        try (KafkaOutlet outlet = outlet("small", smaller)) {
            List<OutletEvent> events = new ArrayList<>(Chunks.messages(1, 200, 1));
            events.set(50, Chunks.message(51, "device-0", 30_000));
            events.set(60, Chunks.message(61, "device-0", 90_000));
            assertTrue(deliver(outlet, events) > 1);
            assertEquals(2, outlet.oversized());
        }
        Set<String> gaps = new HashSet<>();
        long latest = 0;
        Set<String> seen = new HashSet<>();
        for (ConsumerRecord<byte[], byte[]> record : readAll("small")) {
            JsonNode event = json(record);
            long number = Long.parseLong(event.get("id").asText().replace("store-", ""));
            if (seen.add(event.get("id").asText())) {
                assertEquals(latest + 1, number);
                latest = number;
            }
            if (event.get("type").asText().equals("io.heartwheel.gap")) {
                gaps.add(event.get("id").asText());
            }
        }
        assertEquals(200, latest);
        assertEquals(Set.of("store-51", "store-61"), gaps);
    }

    /** A topic that takes no record older than now: what a clock that is behind looks like. */
    @Test
    void deliver_recordsOlderThanTheTopicTakes_namesTheClock() throws Exception {
        broker.create("young", 1, Map.of("message.timestamp.before.max.ms", "0"));
        try (KafkaOutlet outlet = outlet("young", null)) {
            String said = assertThrows(OutletException.class, () -> outlet.deliver(Chunks.messages(1, 2_000, 1), 1))
                    .getMessage();
            assertTrue(said.contains("the topic refuses a record for its time"), said);
        }
    }

    @Test
    void deliver_compressedByTheOperator_arrives() throws Exception {
        broker.create("gzip", 2, Map.of());
        Path gzip = Files.writeString(directory.resolve("compressed.properties"), "compression.type = gzip\n");
        try (KafkaOutlet outlet = outlet("gzip", gzip)) {
            assertEquals(1, deliver(outlet, Chunks.messages(1, 100, 3)));
        }
        assertEquals(0, repeats(readAll("gzip"), 100));
    }

    @ParameterizedTest
    @ValueSource(strings = {"right", "wrong"})
    void deliver_passwordInTheFile_letsInOrIsToldAsWrong(String password) throws Exception {
        broker.create("sasl-" + password, 1, Map.of());
        Path file = Files.writeString(
                directory.resolve(password + ".properties"),
                """
                security.protocol = SASL_PLAINTEXT
                sasl.mechanism = PLAIN
                sasl.jaas.config = org.apache.kafka.common.security.plain.PlainLoginModule required username="heartwheel" password="%s";
                """
                        .formatted(password));
        try (KafkaOutlet outlet = new KafkaOutlet(
                new OutletSettings.Kafka(broker.saslBootstrap(), "sasl-" + password, file, Duration.ofSeconds(20)),
                new CloudEvent("a"))) {
            if (password.equals("right")) {
                assertEquals(1, deliver(outlet, Chunks.messages(1, 10, 2)));
                assertEquals(0, repeats(readAll("sasl-right"), 10));
            } else {
                String said = assertThrows(OutletException.class, () -> outlet.deliver(Chunks.messages(1, 10, 2), 1))
                        .getMessage();
                assertTrue(
                        said.endsWith("0 of 10 events acknowledged: SaslAuthenticationException:"
                                + " Authentication failed: Invalid username or password"),
                        said);
            }
        }
    }

    @Test
    void deliver_noBroker_isToldOrInterrupted() throws Exception {
        try (KafkaOutlet outlet = noBroker(Duration.ofSeconds(1))) {
            String said = assertThrows(OutletException.class, () -> outlet.deliver(Chunks.messages(1, 10, 2), 1))
                    .getMessage();
            assertTrue(said.contains(": no acknowledgement in 1000 ms: "), said);
        }
        try (KafkaOutlet outlet = noBroker(Duration.ofMinutes(10))) {
            Thread deliverer = Thread.currentThread();
            FutureTask<Void> waker = inBackground(() -> {
                while (deliverer.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                deliverer.interrupt();
                return null;
            });
            assertThrows(InterruptedException.class, () -> outlet.deliver(Chunks.messages(1, 10, 2), 1));
            waker.get();
        }
    }

    /** Nobody listens on port 1. */
    private static KafkaOutlet noBroker(Duration timeout) {
        return new KafkaOutlet(new OutletSettings.Kafka("127.0.0.1:1", "none", null, timeout), new CloudEvent("a"));
    }
}
