package io.heartwheel.loadgen.uplink;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Uplink;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the topic that a Kafka outlet writes to: all its partitions, without a group, from the ends that they have when the
 * run begins. What the topic held before is of other runs.
 *
 * <p>{@link #begin} and {@link #close} on any thread; in between a thread of its own has the consumer. When the workers are too
 * far behind it keeps what it read last and pauses its partitions until that is taken, so the order of a partition is kept and
 * what waits here is bounded: {@value #MOST_RECORDS} events, and some {@value #MOST_FETCHED_BYTES} bytes fetched. A broker that
 * is away is waited for.
 */
public final class KafkaReceiver implements EventReceiver {

    private static final int MOST_FETCHED_BYTES = 8 << 20;
    private static final int MOST_PARTITION_BYTES = 1 << 20;
    private static final int MOST_RECORDS = 1_000;
    private static final int LONGEST_RECONNECT_MILLIS = 1_000;
    private static final int LONGEST_CALL_MILLIS = 10_000;
    private static final String EVENT = "application/cloudevents+json";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);
    private static final long LONGEST_JOIN_MILLIS = 5_000;
    private static final ThreadFactory THREADS = new DefaultThreadFactory("uplink", true);

    private final Uplink uplink;
    private final EventReader reader;
    private final EventIntake intake;
    private final Supplier<Consumer<byte[], byte[]>> consumers;

    private final CountDownLatch closed = new CountDownLatch(1);
    private List<EventReader.Read> waiting = new ArrayList<>(); // of the thread that reads
    private @Nullable Thread thread; // guarded by this

    /**
     * A receiver that does not read yet.
     *
     * @param scenario one with an uplink
     */
    public KafkaReceiver(Scenario scenario, EventIntake intake) {
        this(scenario, intake, () -> connect(Objects.requireNonNull(scenario.uplink())));
    }

    KafkaReceiver(Scenario scenario, EventIntake intake, Supplier<Consumer<byte[], byte[]>> consumers) {
        this.uplink = Objects.requireNonNull(scenario.uplink(), "uplink = none: need one");
        this.reader = new EventReader(scenario.deviceDefaults().idPrefix(), scenario.clients());
        this.intake = intake;
        this.consumers = consumers;
    }

    private static Consumer<byte[], byte[]> connect(Uplink uplink) {
        return new KafkaConsumer<>(
                Map.ofEntries(
                        Map.entry(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, uplink.bootstrap()),
                        Map.entry(ConsumerConfig.CLIENT_ID_CONFIG, "heartwheel-loadgen"),
                        Map.entry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
                        Map.entry(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false),
                        // after a partition that lost its end: what comes again is a repetition
                        Map.entry(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"),
                        Map.entry(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MOST_FETCHED_BYTES),
                        Map.entry(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MOST_PARTITION_BYTES),
                        Map.entry(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS),
                        Map.entry(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, LONGEST_RECONNECT_MILLIS),
                        Map.entry(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LONGEST_CALL_MILLIS),
                        Map.entry(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, LONGEST_CALL_MILLIS),
                        // no measurements of the client's own, neither to the broker nor by JMX
                        Map.entry(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false),
                        Map.entry(ConsumerConfig.METRIC_REPORTER_CLASSES_CONFIG, List.of())),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** Takes some 20 seconds at most to find out that no broker answers. */
    @Override
    public synchronized void begin() throws IOException {
        Consumer<byte[], byte[]> opened = open();
        Thread made = THREADS.newThread(() -> read(opened));
        thread = made;
        made.start();
    }

    /** A consumer at the end of every partition. */
    Consumer<byte[], byte[]> open() throws IOException {
        Consumer<byte[], byte[]> made = null;
        try {
            made = consumers.get();
            List<PartitionInfo> found = made.partitionsFor(uplink.topic());
            if (found == null || found.isEmpty()) {
                throw new KafkaException("the topic does not exist, or may not be seen");
            }
            List<TopicPartition> partitions = found.stream()
                    .map(each -> new TopicPartition(uplink.topic(), each.partition()))
                    .toList();
            made.assign(partitions);
            made.endOffsets(partitions).forEach(made::seek);
            return made;
        } catch (KafkaException e) {
            if (made != null) {
                made.close(CloseOptions.timeout(Duration.ZERO));
            }
            Throwable cause = made == null && e.getCause() != null ? e.getCause() : e;
            throw new IOException(
                    "uplink.topic = " + uplink.topic() + " at " + uplink.bootstrap() + ": " + cause.getMessage(), e);
        }
    }

    private void read(Consumer<byte[], byte[]> consumer) {
        try {
            while (closed.getCount() > 0) {
                if (!turn(consumer) && closed.await(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            consumer.close(CloseOptions.timeout(LONGEST_CLOSE));
        }
    }

    /** Reads what there is, and hands over what it has; false when it could not read. */
    boolean turn(Consumer<byte[], byte[]> consumer) {
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            if (!records.isEmpty()) {
                intake.count(Count.UPLINK_REQUESTS, 1);
                records.forEach(this::keep);
            }
        } catch (KafkaException e) {
            intake.count(Count.UPLINK_UNREADABLE, 1);
            return false;
        }
        if (intake.take(waiting)) {
            waiting = new ArrayList<>();
            consumer.resume(consumer.paused());
        } else {
            consumer.pause(consumer.assignment());
        }
        return true;
    }

    private void keep(ConsumerRecord<byte[], byte[]> record) {
        try {
            Header type = record.headers().lastHeader("content-type");
            if (type == null || type.value() == null || !isEvent(type.value())) {
                throw new IOException("a record: need the header content-type = " + EVENT);
            }
            waiting.add(reader.record(record.key(), record.value()));
        } catch (IOException e) {
            intake.count(Count.UPLINK_MALFORMED, 1);
        }
    }

    /** Parameters may follow. */
    private static boolean isEvent(byte[] type) {
        String essence = new String(type, StandardCharsets.UTF_8).split(";", 2)[0];
        return essence.strip().equalsIgnoreCase(EVENT);
    }

    @Override
    public String url() {
        return "kafka://" + uplink.bootstrap() + "/" + uplink.topic();
    }

    /** Nothing changes: there is no plan. */
    @Override
    public void observe() {}

    /** Takes some seconds at most. */
    @Override
    public void close() {
        closed.countDown();
        Thread reading;
        synchronized (this) {
            reading = thread;
        }
        if (reading == null) {
            return;
        }
        try {
            reading.join(LONGEST_JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
