package io.heartwheel.outlet.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaOutletTest {
    private static final OutletSettings.Kafka SETTINGS =
            new OutletSettings.Kafka("b:9092", "events", null, Duration.ofSeconds(2));
    private static final int LARGEST_BYTES = 2_000;

    private final List<ScriptedProducer> producers = new ArrayList<>();
    /** What the next producers do at their flush, the first of them first; none: they deliver. */
    private final List<Function<ScriptedProducer, RuntimeException>> script = new ArrayList<>();

    private final KafkaOutlet outlet = new KafkaOutlet(SETTINGS, new CloudEvent("a"), this::open);

    private Producer<byte[], byte[]> open(Map<String, Object> properties) {
        assertEquals("all", properties.get("acks"));
        ScriptedProducer producer = new ScriptedProducer(script.isEmpty() ? null : script.remove(0));
        producers.add(producer);
        return producer;
    }

    /** Delivers at its flush, from another thread as Kafka does, unless its script names a failure: then the first record fails. */
    private static final class ScriptedProducer extends MockProducer<byte[], byte[]> {
        private final Function<ScriptedProducer, RuntimeException> script;

        ScriptedProducer(Function<ScriptedProducer, RuntimeException> script) {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
            this.script = script;
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (record.value().length > LARGEST_BYTES) {
                callback.onCompletion(null, new RecordTooLargeException("too large here"));
                return null;
            }
            return super.send(record, callback);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the other thread needs the monitor
        public void flush() {
            RuntimeException refused = script == null ? null : script.apply(this);
            if (refused == null) {
                super.flush();
            } else {
                Thread sender = new Thread(() -> errorNext(refused), "sender");
                sender.start();
                join(sender);
            }
        }

        private static void join(Thread sender) {
            try {
                sender.join();
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }
    }

    private List<String> ids(int producer) throws Exception {
        return fields(producer, "id");
    }

    /** Of all that this producer sent. */
    private List<String> fields(int producer, String field) throws Exception {
        List<String> all = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> each : producers.get(producer).history()) {
            all.add(json(each).get(field).asText());
        }
        return all;
    }

    private static JsonNode json(ProducerRecord<byte[], byte[]> record) throws Exception {
        return new ObjectMapper().readTree(record.value());
    }

    private static List<String> ids(List<OutletEvent> events) {
        return events.stream().map(OutletEvent::id).toList();
    }

    private OutletException failed(List<OutletEvent> events) {
        return assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
    }

    @Test
    void constructor_brokerThatIsNotThere_isNotAsked() {
        new KafkaOutlet(SETTINGS, new CloudEvent("")).close();
        assertTrue(producers.isEmpty());
    }

    @Test
    void deliver_events_areKeyedByDevice() throws Exception {
        outlet.deliver(List.of(Chunks.message(1, "sénsor/1", 10), Chunks.incarnation(2)), 1);

        List<ProducerRecord<byte[], byte[]>> sent = producers.get(0).history();
        ProducerRecord<byte[], byte[]> message = sent.get(0);
        assertEquals("events", message.topic());
        assertEquals("sénsor/1", new String(message.key(), StandardCharsets.UTF_8));
        assertEquals(
                "application/cloudevents+json; charset=UTF-8",
                new String(message.headers().lastHeader("content-type").value(), StandardCharsets.UTF_8));
        assertEquals("io.heartwheel.data", json(message).get("type").asText());
        assertEquals("sénsor/1", json(message).get("subject").asText());
        assertEquals(1, json(message).get("data").get("sequence").asInt());
        assertNull(sent.get(1).key());
        assertEquals("store-2", json(sent.get(1)).get("id").asText());
        assertFalse(producers.get(0).closed());
    }

    @Test
    void deliver_twoChunks_useOneProducer() throws Exception {
        outlet.deliver(Chunks.messages(1, 3, 2), 1);
        outlet.deliver(Chunks.messages(4, 6, 2), 1);
        assertEquals(1, producers.size());
        assertEquals(ids(Chunks.messages(1, 6, 2)), ids(0));
    }

    @Test
    void deliver_recordThatFails_closesBeforeTheNextIsSentAndBeginsAgain() throws Exception {
        script.add(producer -> new TopicAuthorizationException("Not authorized to access topics: [events]"));
        List<OutletEvent> events = Chunks.messages(1, 5, 1);

        OutletException refused = failed(events);
        assertFalse(refused.pauses());
        assertTrue(
                refused.getMessage().startsWith("kafka b:9092, topic events: 0 of 5 events acknowledged: TopicAuthor"),
                refused.getMessage());
        assertTrue(producers.get(0).closed());

        outlet.deliver(events, 2);
        assertEquals(2, producers.size());
        assertEquals(ids(events), ids(1));
    }

    @Test
    void deliver_someAcknowledged_areDeliveredAgainWithTheOthers() throws Exception {
        script.add(producer -> {
            producer.completeNext();
            producer.completeNext();
            return new TimeoutException("Expiring 3 record(s)");
        });
        List<OutletEvent> events = Chunks.messages(1, 5, 1);
        assertEquals(
                "kafka b:9092, topic events: 2 of 5 events acknowledged: no acknowledgement in 2000 ms: Expiring 3 record(s)",
                failed(events).getMessage());
        outlet.deliver(events, 2);
        assertEquals(ids(events), ids(1));
    }

    @Test
    void deliver_producerThatAnswersNothing_fails() {
        KafkaOutlet silent = new KafkaOutlet(
                SETTINGS,
                new CloudEvent(""),
                properties -> new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public void flush() {
                        // all that was sent stays open
                    }
                });
        String said = assertThrows(OutletException.class, () -> silent.deliver(Chunks.messages(1, 2, 1), 1))
                .getMessage();
        assertTrue(said.endsWith("0 of 2 events acknowledged: the others were not answered"), said);
    }

    @Test
    void deliver_topicThatIsMissing_saysSo() {
        script.add(producer -> new TimeoutException(
                "Topic events not present in metadata after 2000 ms.", new UnknownTopicOrPartitionException()));
        String said = failed(Chunks.messages(1, 1, 1)).getMessage();
        assertTrue(said.endsWith(": the topic does not exist, or may not be seen"), said);
    }

    @Test
    void deliver_recordRefusedForItsTime_namesTheClockAndNotCompaction() {
        script.add(
                producer -> new InvalidTimestampException("The timestamp of the message is out of acceptable range."));
        // what the client makes of several at once
        script.add(producer -> new InvalidRecordException("Timestamp 7 of message with offset 0 is out of range."));
        script.add(producer -> new InvalidRecordException("Compacted topic cannot accept message without key"));
        for (String text :
                List.of("its time: look at this machine's clock", "its time: look at", "a record (a compacted one")) {
            String said = failed(Chunks.messages(1, 1, 1)).getMessage();
            assertTrue(said.contains("the topic refuses a record") && said.contains(text), said);
        }
    }

    @Test
    void deliver_propertiesFileChanged_isReadWithTheNextProducer(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("kafka.properties"), "client.id = one\n");
        List<Object> ids = new ArrayList<>();
        OutletSettings.Kafka settings = new OutletSettings.Kafka("b:9092", "events", file, Duration.ofSeconds(2));
        KafkaOutlet rotated = new KafkaOutlet(settings, new CloudEvent("a"), properties -> {
            ids.add(properties.get("client.id"));
            return open(properties);
        });
        script.add(producer -> new TopicAuthorizationException("no"));
        assertThrows(OutletException.class, () -> rotated.deliver(Chunks.messages(1, 1, 1), 1));
        Files.delete(file);
        String said = assertThrows(IOException.class, () -> rotated.deliver(Chunks.messages(1, 1, 1), 2))
                .getMessage();
        assertTrue(said.startsWith(file + ": cannot be read"), said);
        Files.writeString(file, "client.id = two\n");
        rotated.deliver(Chunks.messages(1, 1, 1), 3);
        assertEquals(List.of("one", "two"), ids);
    }

    @Test
    void deliver_sendThatThrows_fails() throws Exception {
        outlet.deliver(Chunks.messages(1, 1, 1), 1);
        ScriptedProducer first = producers.get(0);
        first.sendException = new KafkaException("no more");
        assertTrue(failed(Chunks.messages(2, 3, 1)).getMessage().endsWith("KafkaException: no more"));
        assertTrue(first.closed());
        outlet.deliver(Chunks.messages(2, 3, 1), 2);
        assertEquals(2, producers.size());
    }

    @Test
    void deliver_noProducerToBeMade_failsAndTriesAgain() throws Exception {
        List<RuntimeException> failures = new ArrayList<>(List.of(new KafkaException(
                "Failed to construct kafka producer", new ConfigException("No resolvable bootstrap urls"))));
        KafkaOutlet late = new KafkaOutlet(SETTINGS, new CloudEvent(""), properties -> {
            if (!failures.isEmpty()) {
                throw failures.remove(0);
            }
            return open(properties);
        });
        String said = assertThrows(OutletException.class, () -> late.deliver(Chunks.messages(1, 1, 1), 1))
                .getMessage();
        assertTrue(said.contains("No resolvable bootstrap urls"), said);
        late.deliver(Chunks.messages(1, 1, 1), 2);
        assertEquals(List.of("store-1"), ids(0));
    }

    @Test
    void deliver_interrupted_endsAndCloses() throws Exception {
        script.add(producer -> {
            throw new InterruptException("asked to end");
        });
        assertThrows(InterruptedException.class, () -> outlet.deliver(Chunks.messages(1, 2, 1), 1));
        assertFalse(Thread.interrupted(), "the exception stands for the flag");
        assertTrue(producers.get(0).closed());
    }

    @Test
    void deliver_eventTooLargeForTheProducer_goesOutAsGapAtItsPlace() throws Exception {
        outlet.deliver(
                List.of(Chunks.message(1, "d", 10), Chunks.message(2, "d", LARGEST_BYTES), Chunks.message(3, "d", 10)),
                1);

        assertEquals(List.of("store-1", "store-2", "store-3"), ids(0));
        ProducerRecord<byte[], byte[]> gap = producers.get(0).history().get(1);
        assertEquals("d", new String(gap.key(), StandardCharsets.UTF_8));
        assertEquals("io.heartwheel.gap", json(gap).get("type").asText());
        assertEquals(
                "{\"event\":\"gap\",\"at\":\"2026-01-01T00:00:00.009Z\",\"from\":\"2026-01-01T00:00:00.009Z\",\"to\":\"2026-01-01T00:00:00.009Z\","
                        + "\"lost\":{\"data\":1},\"instance\":\"a\"}",
                json(gap).get("data").toString());
        assertEquals(1, outlet.oversized());
    }

    @Test
    void deliver_eventTooLargeForTheTopic_goesOutAsGapTheNextTime() throws Exception {
        script.add(producer -> {
            producer.completeNext();
            return new RecordTooLargeException("The request included a message larger than the max message size");
        });
        List<OutletEvent> events = Chunks.messages(1, 3, 1);
        assertTrue(failed(events).getMessage().contains("1 of 3 events acknowledged: RecordTooLargeException"));
        assertEquals(0, outlet.oversized());

        outlet.deliver(events, 2);
        assertEquals(ids(events), ids(1));
        assertEquals(List.of("io.heartwheel.data", "io.heartwheel.gap", "io.heartwheel.data"), fields(1, "type"));
        assertEquals(1, outlet.oversized());

        // a later event of the same size is judged anew
        outlet.deliver(Chunks.messages(4, 4, 1), 1);
        assertEquals("io.heartwheel.data", fields(1, "type").get(3));
    }

    @Test
    void deliver_sameEventsReadAgainAfterARewind_areJudgedAnew() throws Exception {
        script.add(producer ->
                new RecordTooLargeException("The request included a message larger than the max message size"));
        failed(Chunks.messages(1, 3, 1));
        outlet.deliver(Chunks.messages(1, 3, 1), 2);
        assertEquals(List.of("io.heartwheel.data", "io.heartwheel.data", "io.heartwheel.data"), fields(1, "type"));
        assertEquals(0, outlet.oversized());
    }

    @Test
    void close_openProducer_isClosed() throws Exception {
        outlet.deliver(Chunks.messages(1, 1, 1), 1);
        outlet.close();
        outlet.close();
        assertTrue(producers.get(0).closed());
    }

    /** Whoever holds the settings, as the configuration does, loads nothing of Kafka's client. */
    @Test
    void settings_fieldsAndMethods_nameNothingOfKafka() {
        assertNotNull(SETTINGS);
        assertTrue(Stream.of(OutletSettings.Kafka.class.getDeclaredMethods())
                .flatMap(method ->
                        Stream.concat(Stream.of(method.getParameterTypes()), Stream.of(method.getReturnType())))
                .noneMatch(type -> type.getName().startsWith("org.apache.kafka")));
    }
}
