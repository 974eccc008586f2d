package io.heartwheel.loadgen.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.TestScenarios;
import io.heartwheel.loadgen.fleet.UplinkEvent;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Scenario;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** The receiver and a consumer that has no broker; turn by turn, or on its own thread. */
final class KafkaReceiverTest {

    private static final String TOPIC = "events";
    private static final String TYPE = "application/cloudevents+json; charset=UTF-8";
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final int END = 100;

    private final Told told = new Told();
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final EventIntake intake;
    private final KafkaReceiver receiver;
    private final long[] offsets = {END, END};

    KafkaReceiverTest() {
        Scenario scenario = TestScenarios.of(
                "uplink { kind = kafka, topic = " + TOPIC + ", settle = 1s, within = 5s }, echo = false");
        intake = new EventIntake(Objects.requireNonNull(scenario.uplink()), () -> 0);
        receiver = new KafkaReceiver(scenario, intake, () -> consumer);
        Node node = new Node(1, "127.0.0.1", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) {
            partitions.add(new PartitionInfo(TOPIC, i, node, new Node[] {node}, new Node[] {node}));
            consumer.updateBeginningOffsets(Map.of(partition(i), 0L));
            consumer.updateEndOffsets(Map.of(partition(i), (long) END));
        }
        consumer.updatePartitions(TOPIC, partitions);
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition(TOPIC, number);
    }

    private void add(int partition, String key, String type, String value) {
        RecordHeaders headers = new RecordHeaders();
        if (type != null) {
            headers.add("content-type", type.getBytes(StandardCharsets.UTF_8));
        }
        consumer.addRecord(new ConsumerRecord<>(
                TOPIC,
                partition,
                offsets[partition]++,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8),
                headers,
                Optional.empty()));
    }

    private void assertCounted(Count what, long many) {
        intake.report(told);
        assertEquals(many, told.counts.of(what), what.label());
    }

    @Test
    void open_anyTopic_beginsAtTheEndOfAllItsPartitions() throws Exception {
        receiver.open();
        assertEquals(Set.of(partition(0), partition(1)), consumer.assignment());
        assertEquals(END, consumer.position(partition(0)));
        assertEquals(END, consumer.position(partition(1)));
        assertEquals("kafka://127.0.0.1:9092/events", receiver.url());
    }

    @Test
    void begin_noSuchTopic_saysSoAndLeavesNoConsumer() {
        consumer.updatePartitions(TOPIC, List.of());
        IOException told = assertThrows(IOException.class, receiver::begin);
        assertEquals(
                "uplink.topic = events at 127.0.0.1:9092: the topic does not exist, or may not be seen",
                told.getMessage());
        assertTrue(consumer.closed());
        receiver.close();
    }

    @Test
    void begin_brokerDoesNotAnswer_saysSoAndLeavesNoConsumer() {
        consumer.setOffsetsException(new KafkaException("no answer"));
        IOException told = assertThrows(IOException.class, receiver::begin);
        assertEquals("uplink.topic = events at 127.0.0.1:9092: no answer", told.getMessage());
        assertTrue(consumer.closed());
    }

    @Test
    void turn_goodRecords_areTakenInTheOrderOfTheirPartition() throws Exception {
        receiver.open();
        add(0, "load-1", TYPE, Sender.event("x-1", "connected", "load-1", ""));
        add(0, "load-1", TYPE, Sender.message("x-2", "load-1", 5, new byte[] {1, 2}));
        add(1, "load-2", TYPE, Sender.event("x-3", "disconnected", "load-2", ""));
        assertTrue(receiver.turn(consumer));
        assertCounted(Count.UPLINK_EVENTS, 3);
        assertCounted(Count.UPLINK_REQUESTS, 1);
        assertCounted(Count.UPLINK_MALFORMED, 0);
        assertEquals(
                List.of(UplinkEvent.Kind.PRESENT, UplinkEvent.Kind.MESSAGE),
                told.events.stream()
                        .filter(event -> event.device() == 1)
                        .map(UplinkEvent::kind)
                        .toList());
    }

    @Test
    void turn_eventOfNoDevice_hasNoKey() throws Exception {
        receiver.open();
        String started =
                """
                {"specversion":"1.0","id":"x-1","source":"/heartwheel/x","type":"io.heartwheel.incarnation",\
                "data":{"incarnation":3}}""";
        add(1, null, TYPE, started);
        add(1, "load-1", TYPE, started.replace("x-1", "x-2"));
        receiver.turn(consumer);
        assertCounted(Count.UPLINK_EVENTS, 1);
        assertCounted(Count.UPLINK_MALFORMED, 1);
        assertEquals(3, told.events.get(0).incarnation());
    }

    @Test
    void turn_recordsThatAreNoEvents_areCountedAndTheOthersTaken() throws Exception {
        receiver.open();
        String good = Sender.event("x-1", "connected", "load-1", "");
        add(0, "load-2", TYPE, good);
        add(0, null, TYPE, good);
        add(0, "load-1", null, good);
        add(0, "load-1", "application/json", good);
        add(0, "load-1", "application/cloudevents+json-seq", good);
        add(0, "load-1", "application/cloudevents-batch+json", Sender.batch(good));
        add(0, "load-1", TYPE, Sender.batch(good));
        add(0, "load-1", TYPE, "nonsense");
        add(0, "load-1", TYPE, null);
        add(0, "load-1", TYPE, good.replace("1.0", "0.3"));
        add(0, "load-1", "Application/CloudEvents+JSON", good);
        receiver.turn(consumer);
        assertCounted(Count.UPLINK_MALFORMED, 10);
        assertCounted(Count.UPLINK_EVENTS, 1);
    }

    @Test
    void turn_workersFarBehind_pausesUntilTheyHaveRead() throws Exception {
        receiver.open();
        UplinkEvent event = new UplinkEvent(UplinkEvent.Kind.PRESENT, 1, 0, 0, UplinkEvent.LAST, 0, "", "", 0, 0, 0);
        List<EventReader.Read> many = new ArrayList<>();
        for (int i = 0; i < EventIntake.MOST_QUEUED; i++) {
            many.add(new EventReader.Read(i, event, 0, false));
        }
        assertTrue(intake.take(many));
        add(0, "load-1", TYPE, Sender.event("x-1", "connected", "load-1", ""));
        receiver.turn(consumer);
        assertEquals(consumer.assignment(), consumer.paused());
        add(0, "load-1", TYPE, Sender.event("x-2", "disconnected", "load-1", ""));
        receiver.turn(consumer);
        assertEquals(END + 1, consumer.position(partition(0)));

        intake.report(told);
        assertEquals(EventIntake.MOST_QUEUED, told.events.size());
        receiver.turn(consumer);
        assertTrue(consumer.paused().isEmpty());
        receiver.turn(consumer);
        assertCounted(Count.UPLINK_EVENTS, EventIntake.MOST_QUEUED + 2);
        assertEquals(
                List.of(UplinkEvent.Kind.PRESENT, UplinkEvent.Kind.ABSENT),
                told.events.subList(EventIntake.MOST_QUEUED, EventIntake.MOST_QUEUED + 2).stream()
                        .map(UplinkEvent::kind)
                        .toList());
    }

    @Test
    void turn_brokerRefuses_isCountedAndTriedAgain() throws Exception {
        receiver.open();
        consumer.setPollException(new KafkaException("not allowed"));
        assertFalse(receiver.turn(consumer));
        add(0, "load-1", TYPE, Sender.event("x-1", "connected", "load-1", ""));
        assertTrue(receiver.turn(consumer));
        assertCounted(Count.UPLINK_UNREADABLE, 1);
        assertCounted(Count.UPLINK_EVENTS, 1);
    }

    @Test
    void begin_thenClose_readsOnItsThreadAndClosesTheConsumer() throws Exception {
        receiver.begin();
        add(1, "load-2", TYPE, Sender.event("x-1", "connected", "load-2", ""));
        await("the event", () -> {
            intake.report(told);
            return told.counts.of(Count.UPLINK_EVENTS) == 1;
        });
        receiver.close();
        assertTrue(consumer.closed());
        receiver.close();
    }

    private static void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - until < 0, () -> "not in 20 s: " + what);
            LockSupport.parkNanos(2_000_000);
        }
    }
}
