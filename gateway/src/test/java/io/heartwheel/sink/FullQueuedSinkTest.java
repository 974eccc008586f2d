package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.AtOnce;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.EventSink.Waiter;
import io.heartwheel.event.Events;
import io.heartwheel.log.LogCapture;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Messages and events while the sink is full. The writer is the test itself, but where it is said otherwise; time stands still unless it is moved.
 */
@Timeout(60)
class FullQueuedSinkTest {
    private final SinkCounts counts = new SinkCounts();
    private final KeptLines output = new KeptLines();
    private final RecordingReply reply = new RecordingReply();
    private long nowNanos;

    private QueuedSink sink(int capacity) {
        EventQueue queue = new EventQueue(capacity, Long.MAX_VALUE);
        counts.waiting(queue::waiters);
        return SteppedSink.over(new LineWriter(output, new EventEncoder("", 0)), queue, counts, () -> nowNanos);
    }

    /** A sender that cannot be told. */
    private static final Reply UNTOLD = new RecordingReply(false);

    /** One whose messages wait, and how often it was told to come. */
    private static final class Peer implements Waiter {
        final QueuedSink sink;
        final long id;
        int woken;
        boolean settled;

        Peer(QueuedSink sink, long id) {
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
        QueuedSink sink = sink(16);
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
        assertEquals("{\"connected\":3}", output.gap().get("lost").toString());
        assertEquals("2026-01-01T00:00:00.007Z", output.gap().get("from").asText());
        assertEquals("2026-01-01T00:00:00.007Z", output.gap().get("to").asText());
        assertEquals("gap", output.kinds().get(16));
    }

    @Test
    void lost_ofAllKinds_isToldInOneLineWhenTheSinkWritesAgain() {
        QueuedSink sink = sink(16);
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
        assertEquals(List.of("connected", "gap"), output.kinds());
        assertEquals(
                "{\"connected\":5,\"data\":5,\"disconnected\":5,\"incident\":5}",
                output.gap().get("lost").toString());
    }

    @Test
    void lost_andNothingNewToWrite_isTriedAgain() {
        QueuedSink sink = sink(16);
        output.failing = true;
        sink.publish(Events.connected("x"));
        sink.writeBatch();
        sink.writeBatch();
        output.failing = false;
        sink.writeBatch();
        assertEquals("{\"connected\":1}", output.gap().get("lost").toString());
        assertEquals("0 0 1 2", counts.toString());
        assertFalse(sink.writeBatch());
        assertEquals(1, output.written.size());
    }

    @Test
    void lost_whileTheQueueStaysFull_isToldOnceASecond() {
        QueuedSink sink = sink(4_096);
        for (int batch = 0; batch < 30; batch++) {
            for (int i = 0; i < 4_096; i++) {
                sink.publish(Events.connected("x"));
            }
            nowNanos += 100_000_000L;
            sink.writeBatch();
        }
        assertEquals(3, output.gaps().size());
        while (sink.writeBatch()) {}
        long told = output.gaps().stream()
                .mapToLong(line -> line.at("/lost/connected").asLong())
                .sum();
        assertEquals(counts.dropped.get(), told);
        long written = output.kinds().stream().filter("connected"::equals).count();
        assertEquals(30 * 4_096, counts.dropped.get() + written);
    }

    @Test
    void publishOrWait_full_takesNothingUntilHalfIsFree() {
        QueuedSink sink = sink(2_048); // messages: 1,536
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
        QueuedSink sink = sink(4_096); // messages: 3,072
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
        QueuedSink sink = sink(16);
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
        QueuedSink sink = sink(16);
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
        assertEquals("{\"data\":1}", output.gap().get("lost").toString());
        assertEquals(1, second.woken);
        assertTrue(second.offer());
        sink.writeBatch();
        assertEquals(1, counts.lost.get());
    }

    @Test
    void publishOrWait_afterTheEnd_isLostAndSaid() throws Exception {
        QueuedSink sink = sink(16);
        output.failing = true;
        Peer first = new Peer(sink, 1);
        assertTrue(first.offer());
        try (LogCapture log = new LogCapture(QueuedSink.class)) {
            sink.close();
            assertTrue(log.messages().contains("event sink ends, and these are lost: {data=1}"));
        }
        Peer late = new Peer(sink, 2);
        assertTrue(late.offer(), "nobody waits for a sink that has ended");
        assertEquals(2, counts.lost.get());
    }

    /** Many peers that each wait for their turn, a writer of its own: every message is written, once. */
    @Test
    void publishOrWait_ofManyThreadsAndASlowOutput_losesNothing() throws Exception {
        QueuedSink sink = sink(64).start();
        int each = 500;
        AtOnce.run(20, thread -> {
            Semaphore room = new Semaphore(0);
            Waiter waiter = room::release; // the same each time
            for (int i = 0; i < each; i++) {
                while (!sink.publishOrWait(Events.text(thread * 1_000L + i, "x"), UNTOLD, waiter)) {
                    room.acquireUninterruptibly();
                }
            }
        });
        sink.close();
        assertEquals(20 * each, output.written.size());
        assertEquals(0, counts.lost.get());
        assertEquals(20 * each, new HashSet<>(output.written).size());
    }
}
