package io.heartwheel.outlet.kafka;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * Records of one delivery and what became of them.
 *
 * <p>Callers: the thread that delivers, and the producer's own, which calls back. All fields but {@code tooLargeHere} are for both.
 */
final class PendingRecords {
    private final Producer<byte[], byte[]> producer;
    private final Thread deliverer = Thread.currentThread();
    private final Queue<Long> tooLarge = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    /** Of the thread that delivers: the record it is sending is larger than the producer takes. */
    private boolean tooLargeHere;

    PendingRecords(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    /**
     * Hands a record to the producer; waits while its buffer is full, or for the topic's partitions.
     *
     * @param number of its event
     * @return false if the record is larger than the producer takes: nothing was sent
     */
    boolean send(long number, ProducerRecord<byte[], byte[]> record) {
        tooLargeHere = false;
        producer.send(record, (metadata, refused) -> settle(number, refused));
        return !tooLargeHere;
    }

    /** In the thread that delivers if the producer itself refuses the record, else in the producer's. */
    private void settle(long number, @Nullable Exception refused) {
        if (refused == null) {
            acknowledged.incrementAndGet();
        } else if (refused instanceof RecordTooLargeException && Thread.currentThread() == deliverer) {
            tooLargeHere = true;
        } else {
            if (refused instanceof RecordTooLargeException) {
                tooLarge.add(number);
            }
            if (fail(refused)) {
                // before the producer's thread takes the next batch, which may have later events of the same device
                producer.close(Duration.ZERO);
            }
        }
    }

    /**
     * Notes why not all will arrive; the first reason stays.
     *
     * @return whether this is the first
     */
    boolean fail(Exception reason) {
        return failure.compareAndSet(null, reason);
    }

    @Nullable
    Exception failure() {
        return failure.get();
    }

    int acknowledged() {
        return acknowledged.get();
    }

    /** Numbers of the events that a broker refused as too large. */
    Queue<Long> tooLarge() {
        return tooLarge;
    }
}
