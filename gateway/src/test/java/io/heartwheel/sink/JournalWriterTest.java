package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.Events;
import io.heartwheel.presence.PresenceRow;
import io.heartwheel.sink.JournalSettings.WhenFull;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.StoreSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The writer is the test itself, but where it is said otherwise; time stands still unless it is moved. */
@Timeout(60)
class JournalWriterTest {
    private final StoreException full = new StoreException(StoreException.Cause.DISK_FULL, "no room");

    private final SinkCounts counts = new SinkCounts();
    private final RecordingReply reply = new RecordingReply();
    private final MemoryStore store = new MemoryStore();
    private Journal journal;
    private QueuedSink sink;
    private long nowNanos;
    private long wallMillis = Events.AT;

    @BeforeEach
    void open() throws IOException {
        open(1 << 20, WhenFull.REFUSE);
    }

    private void open(long maxBytes, WhenFull whenFull) throws IOException {
        StoreSettings where =
                new StoreSettings(Path.of("unused"), StoreSettings.Sync.NEVER, maxBytes, Duration.ofHours(1));
        store.at(wallMillis);
        journal = new Journal(new JournalSettings(where, whenFull, new DedupeSettings(true, 64)), store);
        JournalWriter writer = new JournalWriter(journal, "a", counts, () -> nowNanos, () -> wallMillis);
        EventQueue queue = new EventQueue(64, 1 << 20);
        sink = SteppedSink.over(writer, queue, counts, () -> nowNanos);
    }

    @AfterEach
    void close() throws IOException {
        sink.close();
        journal.close();
    }

    private void write(long id, String text) {
        sink.publish(Events.text(id, text), reply);
        sink.writeBatch();
    }

    private List<String> records() throws IOException {
        List<String> found = new ArrayList<>();
        try (StoreReader reader = store.reader()) {
            RecordBatch batch = reader.next(0);
            while (batch != null) {
                for (RecordBatch.Entry each : batch) {
                    found.add(EventKind.of(each.type()).orElseThrow().label() + " " + each.keyText() + " "
                            + StandardCharsets.UTF_8.decode(each.payload()));
                }
                batch = reader.next(batch.lastNumber());
            }
        }
        return found;
    }

    @Test
    void publish_message_isAcceptedOnceItIsCommitted() throws Exception {
        sink.publish(Events.text(258, "hé"), reply);
        assertEquals(List.of(), reply.answers);
        assertTrue(sink.writeBatch());

        assertEquals(List.of("accepted"), reply.answers);
        List<String> records = records();
        assertEquals(1, records.size());
        assertTrue(records.get(0).startsWith("data sensor/42 {\"event\":\"data\""), records::toString);
        String end = "\"text\":\"hé\",\"incarnation\":" + journal.incarnation() + ",\"instance\":\"a\"}";
        assertTrue(records.get(0).endsWith(end), records::toString);
        new ObjectMapper().readTree(records.get(0).substring("data sensor/42 ".length()));
    }

    @Test
    void publish_manyInOneTurn_areOneBatchInOrder() throws Exception {
        sink.publish(Events.connected("x"));
        sink.publish(Events.text(1, "a"), reply);
        sink.publish(Events.disconnected(CloseReason.NORMAL));
        sink.writeBatch();

        try (StoreReader reader = store.reader()) {
            RecordBatch batch = reader.next(0);
            assertEquals(3, batch.count());
            List<Integer> kinds = new ArrayList<>();
            batch.forEach(each -> kinds.add(each.type()));
            assertEquals(
                    List.of(EventKind.CONNECTED.number(), EventKind.DATA.number(), EventKind.DISCONNECTED.number()),
                    kinds);
        }
    }

    /** Control characters take six bytes each. It would be tried for ever, and hold up all behind it. */
    @Test
    void publish_messageLargerThanTheLimit_isWrittenAlone() throws Exception {
        write(1, "a");
        write(2, "\u0001".repeat(200_000));
        assertEquals(List.of("accepted", "refused"), reply.answers);
        store.drop(1);
        write(2, "\u0001".repeat(200_000));
        assertEquals("accepted", reply.answers.get(2));
    }

    @Test
    void publish_commitFailsAndRefuses_messageIsRefusedAndConnectionEventsAreInAGap() throws Exception {
        store.failWith(full);
        sink.publish(Events.connected("x"));
        write(1, "a");
        assertEquals(List.of("refused"), reply.answers);
        assertEquals("0 1 1 1", counts.toString());

        store.failWith(null);
        sink.writeBatch();
        List<String> records = records();
        assertEquals(1, records.size());
        assertTrue(records.get(0).startsWith("gap "), records::toString);
        assertTrue(records.get(0).contains("\"lost\":{\"connected\":1}"), records::toString);
    }

    @Test
    void close_lossThatIsInNoGap_isNoEndInOrder() throws Exception {
        sink.publish(Events.connected("x"));
        store.failWith(full);
        sink.close();
        store.failWith(null);
        journal.close();
        assertFalse(store.hasEnded());

        new Journal(journal.settings(), store).close();
        assertTrue(store.hasEnded(), "nothing was lost in this one");
    }

    @Test
    void publish_commitFailsAndSlows_everythingIsKeptUntilItSucceeds() throws Exception {
        close();
        open(1 << 20, WhenFull.SLOW);
        store.failWith(full);
        sink.start();
        sink.publish(Events.connected("x"));
        sink.publish(Events.text(1, "a"), reply);
        while (counts.failures.get() == 0) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(), reply.answers);
        store.failWith(null);
        while (reply.answers.isEmpty()) {
            Thread.onSpinWait();
        }

        assertEquals(List.of("accepted"), reply.answers);
        assertEquals(2, records().size());
        assertEquals(0, counts.dropped.get());
    }

    @Test
    void publish_commitFailsUntilTheEnd_messagesAreRefusedThen() throws Exception {
        close();
        open(1 << 20, WhenFull.SLOW);
        store.failWith(full);
        sink.start();
        sink.publish(Events.text(1, "a"), reply);
        while (counts.failures.get() == 0) {
            Thread.onSpinWait();
        }
        sink.close();
        assertEquals(List.of("refused"), reply.answers);
        store.failWith(null);
    }

    @Test
    void publish_sameAgain_isAcceptedWithoutASecondRecord() throws Exception {
        sink.publish(Events.text(7, "a"), reply);
        write(7, "a");
        write(7, "a");
        write(7, "b");

        assertEquals(List.of("accepted", "accepted", "accepted", "accepted"), reply.answers);
        assertEquals(2, records().size());
    }

    @Test
    void publish_refusedAndSameAgain_hasItsRecord() throws Exception {
        store.failWith(full);
        write(7, "a");
        store.failWith(null);
        write(7, "a");

        assertEquals(List.of("refused", "accepted"), reply.answers);
        assertEquals(1, records().size());
    }

    @Test
    void publish_full_takesMoreOnceThereIsRoom() throws Exception {
        close();
        open(2_600, WhenFull.REFUSE);
        String text = "x".repeat(1_000);
        for (int i = 1; i <= 3; i++) {
            write(i, text);
        }
        assertEquals(List.of("accepted", "accepted", "refused"), reply.answers);

        store.drop(1);
        write(4, text);
        assertEquals("accepted", reply.answers.get(3));
    }

    /** A journal that messages have filled takes what must always be written. */
    @Test
    void begin_full_isWrittenAndSoAreEndsOfConnections() throws Exception {
        close();
        open(2_600, WhenFull.REFUSE);
        String text = "x".repeat(1_000);
        for (int i = 1; i <= 3; i++) {
            write(i, text);
        }
        new JournalWriter(journal, "", counts, () -> nowNanos, () -> wallMillis).begin("1.0");
        sink.publish(Events.disconnected(CloseReason.HEARTBEAT_TIMEOUT));
        sink.writeBatch();
        List<String> records = records();
        assertTrue(records.get(2).contains("\"event\":\"incarnation\""), records::toString);
        assertTrue(records.get(3).contains("\"event\":\"disconnected\""), records::toString);
    }

    @Test
    void begin_storeCannotWrite_isWrittenBeforeAllElseOnceItCan() throws Exception {
        store.failWith(full);
        JournalWriter writer = new JournalWriter(journal, "", counts, () -> nowNanos, () -> wallMillis).begin("1.0");
        store.failWith(null);
        writer.append(Events.text(1, "a"), true);
        writer.write();
        List<String> records = records();
        assertEquals(2, records.size());
        assertTrue(records.get(0).startsWith("incarnation "), records::toString);
    }

    /** After a gap a snapshot says who is here: who of them a crash takes gets an end too. */
    @Test
    void present_whoseBeginWasLost_hasARow() throws Exception {
        sink.publish(Events.present(""));
        sink.writeBatch();
        try (StoreReader reader = store.reader()) {
            StoreReader.Row row = reader.rows(new byte[0], 10).get(0);
            assertArrayEquals(PresenceRow.key(journal.incarnation(), Events.DEVICE.sessionId()), row.key());
            assertArrayEquals(PresenceRow.value(Events.DEVICE, Events.AT - 120_000), row.value());
        }
        assertEquals(Events.DEVICE.epoch(), store.greatestEpoch());
    }

    @Test
    void connected_untilItsEnd_hasARow() throws Exception {
        sink.publish(Events.connected("x"));
        sink.writeBatch();
        try (StoreReader reader = store.reader()) {
            List<StoreReader.Row> rows = reader.rows(new byte[0], 10);
            assertEquals(1, rows.size());
            ByteBuffer key = ByteBuffer.wrap(rows.get(0).key());
            assertEquals(journal.incarnation(), key.getLong());
            assertEquals(Events.DEVICE.sessionId(), key.getLong());

            sink.publish(Events.disconnected(CloseReason.HEARTBEAT_TIMEOUT));
            sink.writeBatch();
            assertEquals(List.of(), reader.rows(new byte[0], 10));
        }
    }
}
