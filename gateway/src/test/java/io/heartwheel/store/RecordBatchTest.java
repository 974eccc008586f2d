package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/** Records that are committed together. */
class RecordBatchTest {
    private final RecordBatch.Builder builder = new RecordBatch.Builder();

    @Test
    void iterator_skip_leavesOutTheFirst() {
        for (int i = 0; i < 4; i++) {
            builder.add(i, 100 + i, new byte[i], ByteBuffer.wrap(new byte[10 * i]));
        }
        RecordBatch batch = new RecordBatch(7, 11, 14, 5, Records.body(builder), builder.bytes(), 2);
        assertEquals(13, batch.firstNumber());
        assertEquals(14, batch.lastNumber());
        assertEquals(2, batch.count());
        List<String> seen = new ArrayList<>();
        for (RecordBatch.Entry entry : batch) {
            seen.add(entry.number() + " " + entry.type() + " " + entry.atEpochMillis() + " " + entry.key().length + " "
                    + entry.payload().remaining());
        }
        assertEquals(List.of("13 2 102 2 20", "14 3 103 3 30"), seen);
    }

    @Test
    void iterator_damaged_hasNoEntries() {
        RecordBatch batch = RecordBatch.damaged(12, 14, 5);
        Iterator<RecordBatch.Entry> entries = batch.iterator();
        assertTrue(batch.isDamaged());
        assertFalse(entries.hasNext());
        assertThrows(NoSuchElementException.class, entries::next);
        assertEquals(3, batch.count());
    }

    @Test
    void add_limits_areKept() {
        ByteBuffer payload = ByteBuffer.allocate(100_000);
        builder.add(255, Long.MAX_VALUE, new byte[255], payload);
        assertEquals(0, payload.remaining(), "consumed");
        assertThrows(IllegalArgumentException.class, () -> builder.add(256, 0, new byte[0], payload));
        assertThrows(IllegalArgumentException.class, () -> builder.add(0, 0, new byte[256], payload));
        assertEquals(1, builder.count());
        assertEquals(RecordBatch.HEADER_BYTES + 255 + 100_000, builder.bytes());
        RecordBatch.Entry entry = new RecordBatch(7, 1, 1, 0, Records.body(builder), builder.bytes(), 0)
                .iterator()
                .next();
        assertEquals(255, entry.type());
        assertEquals(Long.MAX_VALUE, entry.atEpochMillis());
        assertEquals(255, entry.key().length);
    }

    @Test
    void clear_afterALargeOne_beginsAnew() {
        builder.add(0, 0, new byte[0], ByteBuffer.allocate(8 << 20));
        builder.clear();
        assertEquals(0, builder.count());
        assertEquals(0, Records.body(builder).length);
        builder.add(0, 0, new byte[1], ByteBuffer.allocate(1));
        assertEquals(RecordBatch.HEADER_BYTES + 2, builder.bytes());
    }

    @Test
    void transaction_emptyOrNot_isKnown() {
        Transaction transaction = new Transaction();
        assertTrue(transaction.isEmpty());
        transaction.delete(new byte[1]);
        assertFalse(transaction.isEmpty());
        transaction.clear();
        Records.add(transaction, 1);
        assertFalse(transaction.isEmpty());
        transaction.clear();
        assertTrue(transaction.isEmpty());
    }
}
