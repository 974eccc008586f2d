package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.AtOnce;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.Events;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.log.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The writer is the test itself, but where it is said otherwise; time stands still unless it is moved. */
@Timeout(60)
class QueuedSinkTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SinkCounts counts = new SinkCounts();
    private final KeptLines output = new KeptLines();
    private final RecordingReply reply = new RecordingReply();
    private long nowNanos;

    private QueuedSink sink(int capacity, long maxBytes, Duration closeTimeout) {
        EventQueue queue = new EventQueue(capacity, maxBytes);
        counts.waiting(queue::waiters);
        ThreadProgress progress = new ThreadProgress("sink");
        return new QueuedSink("event sink", progress, lines(), queue, true, counts, () -> nowNanos, closeTimeout);
    }

    private LineWriter lines() {
        return new LineWriter(output, new EventEncoder("", 0));
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
                List.of("connected", "data", "disconnected"), output.kinds().subList(many - 1, many + 2));
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
        for (int i = 1; i < many; i++) {
            assertEquals(i, KeptLines.tree(output.written.get(i)).get("id").asInt());
        }
        assertEquals("connected", output.kinds().get(0));
        assertEquals("disconnected", output.kinds().get(many));
        assertTrue(output.writes <= 10, () -> output.writes + " writes");
        assertEquals(many - 1 + " 0 0 0", counts.toString());
    }

    @Test
    void writeBatch_moreMessagesOfALoopThanOneTaskAnswers_areAnsweredInOrder() {
        QueuedSink sink = sink(1 << 16);
        List<Runnable> loop = new ArrayList<>();
        Executor tasks = loop::add;
        List<RecordingReply> replies = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            replies.add(new RecordingReply(tasks));
            sink.publish(Events.text(i, "payload"), replies.get(i));
        }
        while (sink.writeBatch()) {}

        int answered = 0;
        assertTrue(loop.size() > 1);
        for (Runnable task : loop) {
            task.run();
            int first = answered;
            while (answered < 600 && !replies.get(answered).answers.isEmpty()) {
                answered++;
            }
            assertTrue(answered > first, () -> "a task answered none behind " + first);
        }
        assertEquals(600, answered);
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
        assertEquals("3 2 0 0", counts.toString(), "and the event came in");
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

            String line =
                    "event sink cannot write (%d times since last told): java.io.IOException: No space left on device";
            assertEquals(List.of(line.formatted(1), line.formatted(1_000), line.formatted(1_000)), log.messages());
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
        RecordingReply throwing = new RecordingReply();
        throwing.failure = new RejectedExecutionException("its loop has ended");
        sink.publish(Events.text(1, "a"), throwing);
        sink.publish(Events.text(2, "b"), reply);
        sink.writeBatch();

        assertEquals(List.of("accepted"), reply.answers);
        assertEquals("2 0 0 0", counts.toString());
    }

    @Test
    void start_errorsInEveryPlace_endNothingAndAnswerEverybody() throws Exception {
        FailingWriter writer = new FailingWriter(output);
        ThreadProgress progress = new ThreadProgress("sink");
        EventQueue queue = new EventQueue(64, Long.MAX_VALUE);
        QueuedSink sink = new QueuedSink("event sink", progress, writer, queue, true, counts, System::nanoTime, LONG);
        sink.start();
        for (int i = 0; i < FailingWriter.PLACES; i++) {
            writer.fails.set(i);
            sink.publish(Events.text(i, "x"), reply);
            writer.awaitFailure();
        }
        writer.fails.set(-1);
        sink.publish(Events.text(9, "x"), reply);
        assertTrue(progress.thread().isAlive());
        sink.close();

        assertEquals(FailingWriter.PLACES + 1, reply.answers.size(), reply.answers::toString);
        assertEquals("accepted", reply.answers.get(FailingWriter.PLACES));
    }

    @Test
    void writeBatch_messagesOfTwoLoops_areAnsweredByOneTaskOfEach() {
        QueuedSink sink = sink(4_096);
        List<Runnable> one = new ArrayList<>();
        List<Runnable> two = new ArrayList<>();
        RecordingReply ofOne = new RecordingReply(one::add);
        RecordingReply ofTwo = new RecordingReply(two::add);
        for (int i = 0; i < 200; i++) {
            sink.publish(Events.text(i, "a"), i % 3 == 0 ? ofOne : ofTwo);
        }
        sink.writeBatch();

        assertEquals(List.of(1, 1), List.of(one.size(), two.size()));
        assertEquals(List.of(), ofOne.answers);
        one.get(0).run();
        two.get(0).run();
        assertEquals(67, ofOne.answers.size());
        assertEquals(133, ofTwo.answers.size());
        assertEquals(List.of(67, 133), List.of(ofOne.ends, ofTwo.ends), "each may leave");
    }

    @Test
    void close_lossThatCannotBeTold_isNotAnEndInOrder() throws Exception {
        FailingWriter writer = new FailingWriter(output);
        EventQueue queue = new EventQueue(64, Long.MAX_VALUE);
        QueuedSink sink = new QueuedSink(
                "event sink", new ThreadProgress("sink"), writer, queue, true, counts, System::nanoTime, LONG);
        sink.publish(Events.connected("x"));
        sink.close();
        assertFalse(writer.incomplete);

        sink.publish(Events.disconnected(CloseReason.NORMAL));
        assertTrue(writer.incomplete, "it came too late to be told");
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
        List<RecordingReply> replies = List.of(reply, new RecordingReply(), new RecordingReply());
        AtOnce.run(3, thread -> {
            for (int i = 0; i < each; i++) {
                sink.publish(Events.text(thread * 1_000_000L + i, "x"), replies.get(thread));
            }
        });
        sink.close();

        replies.forEach(own -> assertEquals(each, own.answers.size()));
        assertEquals(3 * each, counts.accepted.get() + counts.refused.get());
        assertEquals(counts.accepted.get(), output.written.size());
        long[] last = {-1, -1, -1};
        for (String line : output.written) {
            long id = KeptLines.tree(line).get("id").asLong();
            int thread = (int) (id / 1_000_000);
            assertTrue(id > last[thread], line);
            last[thread] = id;
        }
    }

    @Test
    void publish_stretches_areBoundedByTheirStamps() throws Exception {
        EventQueue queue = new EventQueue(16, 0, 2 * 3 * Integer.BYTES);
        QueuedSink sink = new QueuedSink(
                "trace", new ThreadProgress("trace"), lines(), queue, false, counts, () -> nowNanos, LONG);
        for (int i = 0; i < 4; i++) {
            sink.publish(Events.traceSegment());
        }
        assertEquals(2, counts.dropped.get());
        sink.close();
        assertEquals(2, output.written.size());
    }
}
