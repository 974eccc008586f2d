package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.Events;
import io.heartwheel.log.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The writer is the test itself, but where it is said otherwise; time stands still unless it is moved. */
@Timeout(60)
class QueuedSinkTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SinkCounts counts = new SinkCounts();
    private final KeptLines output = new KeptLines();
    private final RecordingReply reply = new RecordingReply();
    private long nowNanos;

    private QueuedSink sink(int capacity, long maxBytes, Duration closeTimeout) {
        EventQueue queue = new EventQueue(capacity, maxBytes);
        counts.waiting(queue::waiters);
        return new QueuedSink(output, queue, counts, () -> nowNanos, closeTimeout);
    }

    private QueuedSink sink(int capacity) {
        return sink(capacity, Long.MAX_VALUE, LONG);
    }

    @Test
    void publish_message_isAcceptedOnlyWhenWritten() {
        QueuedSink sink = sink(16);

        sink.publish(Events.text(1, "a"), reply);
        assertEquals(List.of(), reply.answers);
        assertTrue(sink.writeBatch());

        assertEquals(List.of("accepted"), reply.answers);
        assertEquals("1 0 0 0", counts.toString());
        assertFalse(sink.writeBatch());
    }

    @Test
    void start_burstAndAMessageBehindIt_allWrittenInOrderByTheEnd() throws Exception {
        QueuedSink sink = sink(1 << 16).start();
        int many = 5_000;
        for (int i = 0; i < many; i++) {
            sink.publish(Events.connected("x"));
        }
        sink.publish(Events.text(1, "a"), reply);
        for (int i = 0; i < many; i++) {
            sink.publish(Events.disconnected(CloseReason.NORMAL));
        }
        sink.close();

        assertEquals(2 * many + 1, output.written.size());
        assertEquals(
                "connected",
                JSON.readTree(output.written.get(many - 1)).get("event").asText());
        assertEquals(1, JSON.readTree(output.written.get(many)).get("id").asInt());
        assertEquals(List.of("accepted"), reply.answers);
    }

    @Test
    void publish_manyEvents_areWrittenInOrderAndFewWrites() throws Exception {
        QueuedSink sink = sink(1 << 16);
        int many = 5_000;
        sink.publish(Events.connected("x"));
        for (int i = 1; i < many; i++) {
            sink.publish(Events.text(i, "payload"), reply);
        }
        sink.publish(Events.disconnected(CloseReason.NORMAL));
        while (sink.writeBatch()) {}

        assertEquals(many + 1, output.written.size());
        assertEquals(
                "connected", JSON.readTree(output.written.get(0)).get("event").asText());
        for (int i = 1; i < many; i++) {
            assertEquals(i, JSON.readTree(output.written.get(i)).get("id").asInt());
        }
        assertEquals(
                "disconnected",
                JSON.readTree(output.written.get(many)).get("event").asText());
        assertTrue(output.writes <= 10, () -> output.writes + " writes");
        assertEquals(many - 1 + " 0 0 0", counts.toString());
    }

    @Test
    void publish_incident_isWrittenInItsTurn() throws Exception {
        QueuedSink sink = sink(2);
        sink.publish(Events.connected("x"));
        sink.publish(Events.incident(false));
        sink.publish(Events.incident(true));
        while (sink.writeBatch()) {}

        assertEquals(List.of("connected", "incident", "gap"), output.kinds());
        assertEquals("{\"incident\":1}", output.gap().get("lost").toString());
        assertEquals("0 0 1 0", counts.toString());
    }

    @Test
    void publish_queueFull_refusesMessagesAndDropsEvents() {
        QueuedSink sink = sink(16);
        for (int i = 0; i < 16; i++) {
            sink.publish(Events.connected("x"));
        }

        sink.publish(Events.text(1, "a"), reply);
        sink.publish(Events.disconnected(CloseReason.NORMAL));

        assertEquals(List.of("refused"), reply.answers);
        assertEquals("0 1 1 0", counts.toString());
        assertTrue(sink.writeBatch());
        sink.publish(Events.text(2, "b"), reply);
        assertTrue(sink.writeBatch());
        assertEquals(List.of("refused", "accepted"), reply.answers);
    }

    @Test
    void publish_moreBytesThanMayWait_areRefused() {
        QueuedSink sink = sink(16, 100, LONG);

        sink.publish(Events.binary(1, new byte[1_000]), reply); // alone it may pass
        sink.publish(Events.binary(2, new byte[1]), reply);
        sink.publish(Events.connected("events count nothing, but what waits is full"));
        while (sink.writeBatch()) {}
        sink.publish(Events.binary(3, new byte[60]), reply);
        sink.publish(Events.binary(4, new byte[41]), reply);
        sink.publish(Events.binary(5, new byte[40]), reply);
        while (sink.writeBatch()) {}

        assertEquals(List.of("refused", "accepted", "refused", "accepted", "accepted"), reply.answers);
    }

    @Test
    void writeBatch_writerFails_refusesGoesOnAndRecovers() {
        QueuedSink sink = sink(16);
        output.failing = true;
        sink.publish(Events.text(1, "a"), reply);
        sink.publish(Events.connected("x"));
        assertTrue(sink.writeBatch());
        assertEquals("0 1 1 1", counts.toString());

        output.failing = false;
        sink.publish(Events.text(2, "b"), reply);
        assertTrue(sink.writeBatch());

        assertEquals(List.of("refused", "accepted"), reply.answers);
        assertEquals(List.of("data", "gap"), output.kinds());
        assertEquals("{\"connected\":1}", output.gap().get("lost").toString());
        assertEquals("1 1 1 1", counts.toString());
    }

    @Test
    void writeBatch_manyFailures_warnOnceASecond() {
        QueuedSink sink = sink(16);
        output.failing = true;
        try (LogCapture log = new LogCapture(QueuedSink.class)) {
            for (int i = 0; i < 2_500; i++) {
                nowNanos = i * 1_000_000L;
                sink.publish(Events.connected("x"));
                sink.writeBatch();
            }

            assertEquals(
                    List.of(
                            "event sink cannot write (1 times since last told): java.io.IOException: No space left on device",
                            "event sink cannot write (1000 times since last told): java.io.IOException: No space left on device",
                            "event sink cannot write (1000 times since last told): java.io.IOException: No space left on device"),
                    log.messages());
        }
        assertEquals(2_500, counts.failures.get());
    }

    @Test
    void writeBatch_eventThatCannotBeTold_losesItAlone() {
        QueuedSink sink = sink(16);
        var broken = new Connected(null, Events.AT, "plain", "", "", "", 1);
        sink.publish(Events.text(1, "a"), reply);
        sink.publish(broken);
        sink.publish(Events.text(2, "b"), reply);
        sink.publish(broken);
        sink.writeBatch();

        assertEquals(List.of("accepted", "accepted"), reply.answers);
        assertEquals(List.of("data", "data", "gap"), output.kinds());
        assertEquals("2 0 2 2", counts.toString());
        sink.publish(Events.text(3, "c"), reply);
        sink.writeBatch();
        assertEquals(List.of("data", "data", "gap", "data"), output.kinds());
    }

    @Test
    void writeBatch_replyThatThrows_harmsNobodyElse() {
        QueuedSink sink = sink(16);
        Reply throwing = new Reply() {
            @Override
            public void accepted() {
                throw new java.util.concurrent.RejectedExecutionException("its loop has ended");
            }

            @Override
            public void refused() {}

            @Override
            public void send(long messageId, boolean text, byte[] payload) {}
        };
        sink.publish(Events.text(1, "a"), throwing);
        sink.publish(Events.text(2, "b"), reply);
        sink.writeBatch();

        assertEquals(List.of("accepted"), reply.answers);
        assertEquals("2 0 0 0", counts.toString());
    }

    @Test
    void close_withoutThread_writesWhatWaits() throws Exception {
        QueuedSink sink = sink(16);
        sink.publish(Events.text(1, "a"), reply);

        sink.close();
        sink.close();
        sink.publish(Events.text(2, "late"), reply);
        sink.publish(Events.connected("late"));

        assertTrue(output.closed);
        assertEquals(1, output.written.size());
        assertEquals(List.of("accepted", "refused"), reply.answers);
        assertEquals("1 1 1 0", counts.toString());
    }

    @Test
    void close_withThread_writesWhatWaits() throws Exception {
        output.gate = new CountDownLatch(1);
        QueuedSink sink = sink(1 << 16).start();
        for (int i = 0; i < 5_000; i++) {
            sink.publish(Events.text(i, "a"), reply);
        }
        assertTrue(output.entered.await(30, TimeUnit.SECONDS));
        output.gate.countDown();

        sink.close();

        assertEquals(5_000, output.written.size());
        assertEquals("5000 0 0 0", counts.toString());
    }

    @Test
    void close_writerThatHangs_endsInTimeAndRefusesTheRest() throws Exception {
        output.gate = new CountDownLatch(1);
        QueuedSink sink = sink(16, Long.MAX_VALUE, Duration.ofMillis(20)).start();
        sink.publish(Events.text(1, "a"), reply);
        assertTrue(output.entered.await(30, TimeUnit.SECONDS));
        sink.publish(Events.text(2, "b"), reply);
        sink.publish(Events.connected("x"));

        sink.close();

        assertEquals(List.of("refused", "refused"), reply.answers);
        assertEquals("0 2 1 1", counts.toString());
        assertEquals(List.of(), output.written);
    }

    @Test
    void publish_fromManyThreads_answersEachMessageOnceInOrderOfItsThread() throws Exception {
        QueuedSink sink = sink(64).start();
        int each = 2_000;
        List<Thread> threads = new ArrayList<>();
        List<RecordingReply> replies = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            RecordingReply own = new RecordingReply();
            replies.add(own);
            long base = t * 1_000_000L;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    sink.publish(Events.text(base + i, "x"), own);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        sink.close();

        replies.forEach(own -> assertEquals(each, own.answers.size()));
        assertEquals(3 * each, counts.accepted.get() + counts.refused.get());
        assertEquals(counts.accepted.get(), output.written.size());
        long[] last = {-1, -1, -1};
        for (String line : output.written) {
            long id = JSON.readTree(line).get("id").asLong();
            int thread = (int) (id / 1_000_000);
            assertTrue(id > last[thread], line);
            last[thread] = id;
        }
    }

    @Test
    void publish_stretches_areBoundedByTheirStamps() throws Exception {
        QueuedSink sink = new QueuedSink(
                "trace",
                new LineWriter(output),
                new EventQueue(16, 0, 2 * 3 * Integer.BYTES),
                false,
                counts,
                () -> nowNanos,
                LONG);
        for (int i = 0; i < 4; i++) {
            sink.publish(Events.traceSegment());
        }
        assertEquals(2, counts.dropped.get());
        sink.close();
        assertEquals(2, output.written.size());
    }
}
