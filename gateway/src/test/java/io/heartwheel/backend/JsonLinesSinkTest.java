package io.heartwheel.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.EventSink.Waiter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The writer is the test itself, but where it is said otherwise; time stands still unless it is moved. */
@Timeout(60)
class JsonLinesSinkTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Counts counts = new Counts();
    private final Output output = new Output();
    private final RecordingReply reply = new RecordingReply();
    private long nowNanos;

    /** Keeps lines, fails or stands still on demand. */
    private static final class Output implements LineOutput {
        final List<String> written = Collections.synchronizedList(new ArrayList<>());
        final CountDownLatch entered = new CountDownLatch(1);
        volatile boolean failing;
        volatile CountDownLatch gate = new CountDownLatch(0);
        volatile boolean closed;
        int writes;

        @Override
        public void write(ByteBuffer lines) throws IOException {
            writes++;
            entered.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted");
            }
            if (failing) {
                throw new IOException("No space left on device");
            }
            StandardCharsets.UTF_8.decode(lines).toString().lines().forEach(written::add);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private JsonLinesSink sink(int capacity, long maxBytes, Duration closeTimeout) {
        EventQueue queue = new EventQueue(capacity, maxBytes);
        counts.waiting(queue::waiters);
        return new JsonLinesSink(output, queue, counts, () -> nowNanos, closeTimeout);
    }

    private JsonLinesSink sink(int capacity) {
        return sink(capacity, Long.MAX_VALUE, LONG);
    }

    @Test
    void publish_message_isAcceptedOnlyWhenWritten() {
        JsonLinesSink sink = sink(16);

        sink.publish(Events.text(1, "a"), reply);
        assertEquals(List.of(), reply.answers);
        assertTrue(sink.writeBatch());

        assertEquals(List.of("accepted"), reply.answers);
        assertEquals("1 0 0 0", counts.toString());
        assertFalse(sink.writeBatch());
    }

    @Test
    void publish_manyEvents_areWrittenInOrderAndFewWrites() throws Exception {
        JsonLinesSink sink = sink(1 << 16);
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
        JsonLinesSink sink = sink(2);
        sink.publish(Events.connected("x"));
        sink.publish(Events.incident(false));
        sink.publish(Events.incident(true));
        while (sink.writeBatch()) {}

        assertEquals(List.of("connected", "incident", "gap"), kinds());
        assertEquals("{\"incident\":1}", gap().get("lost").toString());
        assertEquals("0 0 1 0", counts.toString());
    }

    @Test
    void publish_queueFull_refusesMessagesAndDropsEvents() {
        JsonLinesSink sink = sink(16);
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
        JsonLinesSink sink = sink(16, 100, LONG);

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
        JsonLinesSink sink = sink(16);
        output.failing = true;
        sink.publish(Events.text(1, "a"), reply);
        sink.publish(Events.connected("x"));
        assertTrue(sink.writeBatch());
        assertEquals("0 1 1 1", counts.toString());

        output.failing = false;
        sink.publish(Events.text(2, "b"), reply);
        assertTrue(sink.writeBatch());

        assertEquals(List.of("refused", "accepted"), reply.answers);
        assertEquals(List.of("data", "gap"), kinds());
        assertEquals("{\"connected\":1}", gap().get("lost").toString());
        assertEquals("1 1 1 1", counts.toString());
    }

    @Test
    void writeBatch_manyFailures_warnOnceASecond() {
        JsonLinesSink sink = sink(16);
        output.failing = true;
        try (LogCapture log = new LogCapture(JsonLinesSink.class)) {
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
        JsonLinesSink sink = sink(16);
        var broken = new Connected(null, Events.AT, "plain", "", "", "", 1);
        sink.publish(Events.text(1, "a"), reply);
        sink.publish(broken);
        sink.publish(Events.text(2, "b"), reply);
        sink.publish(broken);
        sink.writeBatch();

        assertEquals(List.of("accepted", "accepted"), reply.answers);
        assertEquals(List.of("data", "data", "gap"), kinds());
        assertEquals("2 0 2 2", counts.toString());
        sink.publish(Events.text(3, "c"), reply);
        sink.writeBatch();
        assertEquals(List.of("data", "data", "gap", "data"), kinds());
    }

    @Test
    void writeBatch_replyThatThrows_harmsNobodyElse() {
        JsonLinesSink sink = sink(16);
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
        JsonLinesSink sink = sink(16);
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
        JsonLinesSink sink = sink(1 << 16).start();
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
        JsonLinesSink sink = sink(16, Long.MAX_VALUE, Duration.ofMillis(20)).start();
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
        JsonLinesSink sink = sink(64).start();
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
        JsonLinesSink sink = new JsonLinesSink(
                "trace", output, new EventQueue(16, 0, 2 * 3 * Integer.BYTES), false, counts, () -> nowNanos, LONG);
        for (int i = 0; i < 4; i++) {
            sink.publish(Events.stretch());
        }
        assertEquals(2, counts.dropped.get());
        sink.close();
        assertEquals(2, output.written.size());
    }

    // ------------------------------------------------------------------ what is full, and what is lost

    private List<String> kinds() {
        return output.written.stream()
                .map(line -> tree(line).get("event").asText())
                .toList();
    }

    /** The only line that tells a loss. */
    private JsonNode gap() {
        List<JsonNode> gaps = output.written.stream()
                .map(JsonLinesSinkTest::tree)
                .filter(line -> line.get("event").asText().equals("gap"))
                .toList();
        assertEquals(1, gaps.size(), output.written::toString);
        return gaps.get(0);
    }

    private static JsonNode tree(String line) {
        try {
            return JSON.readTree(line);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(line, e);
        }
    }

    /** A sender that cannot be told. */
    private static final Reply UNTOLD = new Reply() {
        @Override
        public void accepted() {}

        @Override
        public void refused() {}

        @Override
        public boolean isTold() {
            return false;
        }

        @Override
        public void send(long messageId, boolean text, byte[] payload) {}
    };

    /** One whose messages wait, and how often it was told to come. */
    private final class Peer implements Waiter {
        final JsonLinesSink sink;
        final long id;
        int woken;
        boolean settled;

        Peer(JsonLinesSink sink, long id) {
            this.sink = sink;
            this.id = id;
        }

        boolean offer() {
            settled = sink.publishOrWait(Events.text(id, "x"), UNTOLD, this);
            return settled;
        }

        @Override
        public void roomForMore() {
            woken++;
        }
    }

    @Test
    void publish_queueFullOfMessages_keepsRoomForEventsOfConnections() {
        JsonLinesSink sink = sink(16);
        for (int i = 0; i < 20; i++) {
            sink.publish(Events.text(i, "a"), reply);
        }
        assertEquals("0 8 0 0", counts.toString(), "a quarter is not theirs");
        for (int i = 0; i < 7; i++) {
            sink.publish(Events.connected("x"));
        }
        assertEquals("0 8 3 0", counts.toString());
        while (sink.writeBatch()) {}

        assertEquals(12 + 4 + 1, output.written.size());
        assertEquals("{\"connected\":3}", gap().get("lost").toString());
        assertEquals("2026-01-01T00:00:00.007Z", gap().get("from").asText());
        assertEquals("2026-01-01T00:00:00.007Z", gap().get("to").asText());
        assertEquals("gap", kinds().get(16));
    }

    @Test
    void publish_manyBytesOfMessages_leaveRoomForEvents() {
        JsonLinesSink sink = sink(16, 100, LONG);
        sink.publish(Events.binary(1, new byte[1_000]), reply);
        sink.publish(Events.connected("x"));
        assertEquals("0 0 0 0", counts.toString());
    }

    @Test
    void lost_ofAllKinds_isToldInOneLineWhenTheSinkWritesAgain() {
        JsonLinesSink sink = sink(16);
        output.failing = true;
        for (int i = 0; i < 5; i++) {
            sink.publish(Events.connected("x"));
            sink.publish(Events.disconnected(CloseReason.NORMAL));
            sink.publish(Events.incident(true));
            sink.publish(Events.text(i, "told"), reply);
            sink.publish(Events.text(i, "untold"), UNTOLD);
            sink.writeBatch();
        }
        assertEquals(List.of(), output.written);
        assertEquals("0 5 15 5", counts.toString());
        assertEquals(5, counts.lost.get());

        output.failing = false;
        sink.publish(Events.connected("y"));
        sink.writeBatch();
        assertEquals(List.of("connected", "gap"), kinds());
        assertEquals(
                "{\"connected\":5,\"data\":5,\"disconnected\":5,\"incident\":5}",
                gap().get("lost").toString());
    }

    @Test
    void lost_andNothingNewToWrite_isTriedAgain() {
        JsonLinesSink sink = sink(16);
        output.failing = true;
        sink.publish(Events.connected("x"));
        sink.writeBatch();
        sink.writeBatch();
        output.failing = false;
        sink.writeBatch();
        assertEquals("{\"connected\":1}", gap().get("lost").toString());
        assertEquals("0 0 1 2", counts.toString());
        assertFalse(sink.writeBatch());
        assertEquals(1, output.written.size());
    }

    @Test
    void lost_whileTheQueueStaysFull_isToldOnceASecond() {
        JsonLinesSink sink = sink(4_096);
        for (int batch = 0; batch < 30; batch++) {
            for (int i = 0; i < 4_096; i++) {
                sink.publish(Events.connected("x"));
            }
            nowNanos += 100_000_000L;
            sink.writeBatch();
        }
        List<JsonNode> gaps = output.written.stream()
                .map(JsonLinesSinkTest::tree)
                .filter(line -> line.get("event").asText().equals("gap"))
                .toList();
        assertEquals(3, gaps.size());
        while (sink.writeBatch()) {}
        long told = output.written.stream()
                .map(JsonLinesSinkTest::tree)
                .filter(line -> line.get("event").asText().equals("gap"))
                .mapToLong(line -> line.get("lost").get("connected").asLong())
                .sum();
        assertEquals(counts.dropped.get(), told);
        assertEquals(
                30 * 4_096,
                counts.dropped.get()
                        + kinds().stream().filter("connected"::equals).count());
    }

    @Test
    void publishOrWait_full_takesNothingUntilHalfIsFree() {
        JsonLinesSink sink = sink(2_048); // messages: 1,536
        for (int i = 0; i < 1_536; i++) {
            assertTrue(new Peer(sink, i).offer());
        }
        Peer late = new Peer(sink, 5_000);
        assertFalse(late.offer());
        assertEquals(1, counts.waiting.getAsInt());

        sink.writeBatch(); // 1,024 of them: 512 are left
        assertEquals(1, late.woken);
        assertEquals(0, counts.waiting.getAsInt());
        assertTrue(late.offer());
        assertEquals(0, counts.lost.get());
    }

    @Test
    void publishOrWait_whileOthersWait_isNotOvertakenByThoseWhoAreTold() {
        JsonLinesSink sink = sink(4_096); // messages: 3,072
        for (int i = 0; i < 3_072; i++) {
            sink.publish(Events.text(i, "x"), reply);
        }
        Peer waits = new Peer(sink, 1);
        assertFalse(waits.offer());
        sink.writeBatch(); // 2,048 are left
        sink.publish(Events.text(2, "x"), reply);
        assertEquals(1, counts.refused.get(), "as long as somebody waits there is no room");
        assertEquals(0, waits.woken);
        sink.writeBatch();
        assertEquals(1, waits.woken);
        sink.publish(Events.text(3, "x"), reply);
        assertEquals(1, counts.refused.get());
    }

    @Test
    void wake_ofMany_isPacedAndInOrder() {
        JsonLinesSink sink = sink(16);
        for (int i = 0; i < 12; i++) {
            sink.publish(Events.text(i, "x"), reply);
        }
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            peers.add(new Peer(sink, i));
            assertFalse(peers.get(i).offer());
        }
        sink.forget(peers.get(0));
        sink.forget(peers.get(0));
        assertEquals(99, counts.waiting.getAsInt());
        sink.writeBatch();
        for (int i = 0; i < 100; i++) {
            assertEquals(i >= 1 && i <= 32 ? 1 : 0, peers.get(i).woken, "peer " + i);
        }
        while (counts.waiting.getAsInt() > 0) {
            sink.writeBatch();
        }
        assertTrue(peers.stream().skip(1).allMatch(peer -> peer.woken == 1));
    }

    @Test
    void publishOrWait_whileWritesFail_waitsAndLosesNoMore() {
        JsonLinesSink sink = sink(16);
        output.failing = true;
        Peer first = new Peer(sink, 1);
        assertTrue(first.offer());
        sink.writeBatch();
        Peer second = new Peer(sink, 2);
        assertFalse(second.offer());
        sink.writeBatch();
        assertEquals(0, second.woken);
        assertEquals(1, counts.lost.get());

        output.failing = false;
        sink.writeBatch();
        assertEquals("{\"data\":1}", gap().get("lost").toString());
        assertEquals(1, second.woken);
        assertTrue(second.offer());
        sink.writeBatch();
        assertEquals(1, counts.lost.get());
    }

    @Test
    void publishOrWait_afterTheEnd_isLostAndSaid() throws Exception {
        JsonLinesSink sink = sink(16);
        output.failing = true;
        Peer first = new Peer(sink, 1);
        assertTrue(first.offer());
        try (LogCapture log = new LogCapture(JsonLinesSink.class)) {
            sink.close();
            assertTrue(log.messages().contains("event sink ends, and these are lost: {data=1}"), () -> log.messages()
                    .toString());
        }
        Peer late = new Peer(sink, 2);
        assertTrue(late.offer(), "nobody waits for a sink that has ended");
        assertEquals(2, counts.lost.get());
    }

    /** Many peers that each wait for their turn, a writer of its own: every message is written, once. */
    @Test
    void publishOrWait_ofManyThreadsAndASlowOutput_losesNothing() throws Exception {
        JsonLinesSink sink = sink(64).start();
        int each = 500;
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 20; t++) {
            long base = t * 1_000L;
            Thread thread = new Thread(() -> {
                Semaphore room = new Semaphore(0);
                Waiter waiter = new Waiter() {
                    @Override
                    public void roomForMore() {
                        room.release();
                    }
                };
                for (int i = 0; i < each; i++) {
                    while (!sink.publishOrWait(Events.text(base + i, "x"), UNTOLD, waiter)) {
                        room.acquireUninterruptibly();
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        sink.close();
        assertEquals(20 * each, output.written.size());
        assertEquals(0, counts.lost.get());
        assertEquals(20 * each, new HashSet<>(output.written).size());
    }
}
