package io.heartwheel.outlet.kafka;

import io.heartwheel.outlet.BrokerOutlet;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outlet to a topic of Apache Kafka: an event is a record with the device's id as key (none for an event of no device), its CloudEvent as value and the
 * media type as header {@code content-type}.
 *
 * <p>Order. All events of a device go to one partition. At the first failure the producer sends nothing more: its failed record's callback closes it, in the
 * thread that sends. The next delivery begins with a new producer at the first event of the chunk, so the first copies of a device's events stand in their
 * order, and repeats come later. Requests of a closed producer that a broker takes late are such repeats.
 *
 * <p>Bounded. The producer holds at most 16 MiB, a delivery ends after about twice the timeout, and an interrupt ends it at once. A broker that is down, a topic
 * that is missing and a right that is not given are failures to be tried again; the constructor asks no broker. An event that is larger than the
 * producer or the topic takes can never be delivered: a {@code gap} in its place is, and it is counted.
 *
 * <p>One thread; {@link #oversized} any.
 */
public final class KafkaOutlet extends BrokerOutlet {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaOutlet.class);
    private static final List<Header> HEADERS =
            List.of(new RecordHeader("content-type", CloudEvent.MEDIA_TYPE.getBytes(StandardCharsets.UTF_8)));

    private final OutletSettings.Kafka settings;
    private final CloudEvent form;
    private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;
    private @Nullable Producer<byte[], byte[]> producer;
    /** Numbers of the chunk's events that a broker refused as too large. */
    private final Set<Long> refusedAsLarge = new HashSet<>();

    /** Makes an outlet; neither asks a broker nor waits. The properties file is read with each new producer, so after each failure. */
    public KafkaOutlet(OutletSettings.Kafka settings, CloudEvent form) {
        this(settings, form, KafkaProducer::new);
    }

    KafkaOutlet(
            OutletSettings.Kafka settings,
            CloudEvent form,
            Function<Map<String, Object>, Producer<byte[], byte[]>> producers) {
        this.settings = settings;
        this.form = form;
        this.producers = producers;
    }

    @Override
    protected void forget() {
        refusedAsLarge.clear();
    }

    @Override
    protected void deliver(List<OutletEvent> events) throws IOException, InterruptedException {
        Producer<byte[], byte[]> open = open();
        PendingRecords pending = new PendingRecords(open);
        long large = 0;
        try {
            for (OutletEvent event : events) {
                if (pending.failure() != null) {
                    break;
                }
                large += send(event, pending) ? 0 : 1;
            }
            open.flush();
        } catch (InterruptException interrupted) {
            InterruptedException ended = ended();
            close();
            throw ended;
        } catch (KafkaException | IllegalStateException e) {
            // a producer that was closed in the meantime refuses records with the latter; why it was closed stands
            // already
            pending.fail(e);
        }
        refusedAsLarge.addAll(pending.tooLarge());
        if (pending.failure() != null || pending.acknowledged() < events.size()) {
            close();
            throw OutletException.retry(
                    "kafka " + settings.bootstrap() + ", topic " + settings.topic() + ": " + pending.acknowledged()
                            + " of " + events.size() + " events acknowledged: "
                            + KafkaFailure.text(pending.failure(), settings),
                    OutletException.NOT_SAID,
                    pending.failure());
        }
        countOversized(large);
    }

    /** Clears the flag, which Kafka sets as well: a producer does not close in order while it is set. */
    private static InterruptedException ended() {
        Thread.interrupted();
        return new InterruptedException("a delivery to kafka was interrupted");
    }

    /** @return false if it was too large and its gap was sent in its place */
    private boolean send(OutletEvent event, PendingRecords pending) {
        if (!refusedAsLarge.contains(event.number()) && pending.send(event.number(), record(event))) {
            return true;
        }
        LOG.warn(
                "event {} ({}, {} bytes) is larger than topic {} takes, and goes out as a gap: raise max.request.size in the outlet's properties file and the topic's"
                        + " max.message.bytes",
                event.number(),
                event.kind().label(),
                event.json().length,
                settings.topic());
        pending.send(event.number(), record(event.asGap(form.instance())));
        return false;
    }

    private ProducerRecord<byte[], byte[]> record(OutletEvent event) {
        byte[] key = event.device().isEmpty() ? null : event.device().getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(settings.topic(), null, key, form.encode(event), HEADERS);
    }

    /** Looks up the brokers' addresses, which may fail; connects to nobody yet. */
    private Producer<byte[], byte[]> open() throws IOException, InterruptedException {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            try {
                open = producers.apply(ProducerProperties.of(settings));
            } catch (InterruptException interrupted) {
                throw ended();
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            } catch (KafkaException e) {
                throw OutletException.retry(
                        "kafka " + settings.bootstrap() + ": no producer: " + KafkaFailure.text(e, settings),
                        OutletException.NOT_SAID,
                        e);
            }
            producer = open;
        }
        return open;
    }

    /** Ends the producer without sending what it still holds. */
    @Override
    public void close() {
        Producer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            try {
                open.close(Duration.ZERO);
            } catch (KafkaException e) {
                LOG.debug("a producer of topic {} did not close in order", settings.topic(), e);
            }
        }
    }
}
