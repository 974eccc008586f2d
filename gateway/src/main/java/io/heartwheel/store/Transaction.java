package io.heartwheel.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are committed together: records, and the rows of who is present that they put or delete. Made once and used again and again. One thread.
 */
public final class Transaction {
    private final RecordBatch.Builder records = new RecordBatch.Builder();
    private final List<RowChange> rows = new ArrayList<>();
    private long epoch;

    /** Records to append. */
    public RecordBatch.Builder records() {
        return records;
    }

    /** Puts a row; the arrays belong to the transaction from now on. */
    public void put(byte[] key, byte[] value) {
        if (key.length > RecordBatch.MAX_KEY_BYTES || value.length >= RowChange.DELETED) {
            throw new IllegalArgumentException("row with a key of " + key.length + " bytes");
        }
        rows.add(new RowChange(key, value));
    }

    /** Deletes a row, if there is one; the array belongs to the transaction from now on. */
    public void delete(byte[] key) {
        rows.add(new RowChange(key, null));
    }

    /** A session of this epoch is in it. */
    public void epoch(long number) {
        epoch = Math.max(epoch, number);
    }

    /** Whether there is nothing in it. */
    public boolean isEmpty() {
        return records.count() == 0 && rows.isEmpty();
    }

    /** Nothing is in it from now on. */
    public void clear() {
        records.clear();
        rows.clear();
        epoch = 0;
    }

    List<RowChange> rows() {
        return rows;
    }

    long epoch() {
        return epoch;
    }

    /** All of it as it stands in a segment. The memory is used again for the next. */
    ByteBuffer image(long store, long incarnation, long first, long atEpochMillis, long greatestEpoch) {
        int rowBytes = rows.stream().mapToInt(RowChange::bytes).sum();
        byte[] batch = records.withRoomFor(rowBytes);
        int body = BatchHeader.BYTES;
        ByteBuffer out = ByteBuffer.wrap(batch, body + records.bytes(), rowBytes);
        rows.forEach(row -> row.writeTo(out));
        int crc = BatchHeader.crc(batch, body, records.bytes() + rowBytes);
        long last = first + records.count() - 1;
        new BatchHeader(crc, store, incarnation, first, last, atEpochMillis, greatestEpoch, records.bytes(), rowBytes)
                .writeTo(batch);
        return ByteBuffer.wrap(batch, 0, body + records.bytes() + rowBytes);
    }

    /**
     * A row to be put, or deleted: length of the key u8 | length of the value u16, all ones to delete | key | value.
     *
     * @param value null: to be deleted
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record RowChange(byte[] key, byte @Nullable [] value) {
        private static final int DELETED = 0xFFFF;

        private int bytes() {
            return 1 + Short.BYTES + key.length + (value == null ? 0 : value.length);
        }

        private void writeTo(ByteBuffer out) {
            out.put((byte) key.length)
                    .putShort((short) (value == null ? DELETED : value.length))
                    .put(key);
            if (value != null) {
                out.put(value);
            }
        }

        static RowChange read(ByteBuffer in) {
            byte[] key = new byte[in.get() & 0xFF];
            int valueBytes = in.getShort() & 0xFFFF;
            in.get(key);
            if (valueBytes == DELETED) {
                return new RowChange(key, null);
            }
            byte[] value = new byte[valueBytes];
            in.get(value);
            return new RowChange(key, value);
        }
    }
}
