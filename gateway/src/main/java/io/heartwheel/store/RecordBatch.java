package io.heartwheel.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Records that were committed together, with consecutive numbers, or the numbers of some that cannot be read.
 *
 * <pre>
 *   record:  type u8 | length of key u8 | length of payload u32 | time i64 | key | payload
 * </pre>
 *
 * <p>Immutable; one thread iterates.
 */
public final class RecordBatch implements Iterable<RecordBatch.Entry> {
    /** Longest key, bytes. */
    public static final int MAX_KEY_BYTES = 255;

    static final int HEADER_BYTES = 14;
    static final int DAMAGED = -1;

    private final long store;
    private final long firstNumber;
    private final long lastNumber;
    private final long atEpochMillis;
    private final byte[] body;
    private final int recordBytes;
    private final long skip;

    /**
     * @param store number of the id that they were committed under
     * @param body records, then changes of rows
     * @param recordBytes of the body; {@link #DAMAGED}: the records cannot be read
     * @param skip so many of the first records are left out
     */
    RecordBatch(
            long store,
            long firstNumber,
            long lastNumber,
            long atEpochMillis,
            byte[] body,
            int recordBytes,
            long skip) {
        this.store = store;
        this.firstNumber = firstNumber;
        this.lastNumber = lastNumber;
        this.atEpochMillis = atEpochMillis;
        this.body = body;
        this.recordBytes = recordBytes;
        this.skip = skip;
    }

    /** Records that cannot be read. */
    static RecordBatch damaged(long firstNumber, long lastNumber, long atEpochMillis) {
        return new RecordBatch(0, firstNumber, lastNumber, atEpochMillis, new byte[0], DAMAGED, 0);
    }

    /** The {@link Store#id} that they were committed under: with it and its number a record is known for ever. */
    public String store() {
        return HexFormat.of().toHexDigits(store);
    }

    /** The same as a number. */
    long storeNumber() {
        return store;
    }

    /** Number of the first of them. */
    public long firstNumber() {
        return firstNumber + skip;
    }

    /** Number of the last of them. */
    public long lastNumber() {
        return lastNumber;
    }

    /** How many there are, those that were asked to be left out not counted. */
    public long count() {
        return lastNumber - firstNumber + 1 - skip;
    }

    /** When they were committed, milliseconds since 1970. */
    public long atEpochMillis() {
        return atEpochMillis;
    }

    /** Whether they cannot be read any more: then there are no entries, but the numbers tell how many are missing. */
    public boolean isDamaged() {
        return recordBytes == DAMAGED;
    }

    /** Changes of rows that were committed with them. */
    List<Transaction.RowChange> rows() {
        List<Transaction.RowChange> rows = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(body).position(Math.max(0, recordBytes));
        while (in.hasRemaining()) {
            rows.add(Transaction.RowChange.read(in));
        }
        return rows;
    }

    /** The records in order. Payloads share the batch's memory. */
    @Override
    public Iterator<Entry> iterator() {
        ByteBuffer in = ByteBuffer.wrap(body);
        for (long i = 0; i < skip && !isDamaged(); i++) {
            read(in, 0);
        }
        return new Iterator<>() {
            private long number = firstNumber();

            @Override
            public boolean hasNext() {
                return !isDamaged() && number <= lastNumber();
            }

            @Override
            public Entry next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return read(in, number++);
            }
        };
    }

    private static Entry read(ByteBuffer in, long number) {
        int type = in.get() & 0xFF;
        int keyBytes = in.get() & 0xFF;
        int payloadBytes = in.getInt();
        long atEpochMillis = in.getLong();
        byte[] key = new byte[keyBytes];
        in.get(key);
        ByteBuffer payload = in.slice(in.position(), payloadBytes);
        in.position(in.position() + payloadBytes);
        return new Entry(number, type, atEpochMillis, key, payload);
    }

    /**
     * A record.
     *
     * @param number its place among all records, 1 or more
     * @param type what kind it is, for its writer and readers to agree on, 0..255
     * @param atEpochMillis when it happened, milliseconds since 1970
     * @param key whom it is about, 0..255 bytes
     * @param payload all of it
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Entry(long number, int type, long atEpochMillis, byte[] key, ByteBuffer payload) {
        /** The key as text. */
        public String keyText() {
            return new String(key, StandardCharsets.UTF_8);
        }
    }

    /** Builder of a batch, used again and again. One thread. */
    public static final class Builder {
        private static final int FIRST_BYTES = 64 << 10;
        private static final int KEPT_BYTES = 4 << 20;

        private byte[] bytes = new byte[FIRST_BYTES];
        /** The first bytes are for the header of the batch. */
        private int size = BatchHeader.BYTES;

        private int count;

        /**
         * Adds a record.
         *
         * @param type 0..255
         * @param atEpochMillis when it happened, milliseconds since 1970
         * @param key at most {@value RecordBatch#MAX_KEY_BYTES} bytes
         * @param payload consumed
         * @throws IllegalArgumentException if the key is too long
         */
        public void add(int type, long atEpochMillis, byte[] key, ByteBuffer payload) {
            if (key.length > MAX_KEY_BYTES || (type & ~0xFF) != 0) {
                throw new IllegalArgumentException("key of " + key.length + " bytes, type " + type);
            }
            int payloadBytes = payload.remaining();
            room(HEADER_BYTES + key.length + payloadBytes);
            ByteBuffer out = ByteBuffer.wrap(bytes, size, bytes.length - size);
            out.put((byte) type)
                    .put((byte) key.length)
                    .putInt(payloadBytes)
                    .putLong(atEpochMillis)
                    .put(key);
            payload.get(bytes, out.position(), payloadBytes);
            size += HEADER_BYTES + key.length + payloadBytes;
            count++;
        }

        private void room(int more) {
            if (size + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
            }
        }

        /** Records in it. */
        public int count() {
            return count;
        }

        /** Their bytes. */
        public int bytes() {
            return size - BatchHeader.BYTES;
        }

        /** The array, in which so many bytes may be written behind the records. */
        byte[] withRoomFor(int more) {
            room(more);
            return bytes;
        }

        void clear() {
            size = BatchHeader.BYTES;
            count = 0;
            if (bytes.length > KEPT_BYTES) {
                bytes = new byte[FIRST_BYTES];
            }
        }
    }
}
