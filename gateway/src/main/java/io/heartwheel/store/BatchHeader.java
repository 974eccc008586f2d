package io.heartwheel.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Header of a batch in a segment. It names the store and the numbers, so that a batch can be recognized wherever it is found.
 *
 * <pre>
 *   magic i32 | checksum of the body i32 | store i64 | incarnation i64 | first number i64 | last number i64 | committed at i64 | greatest epoch i64
 *   | bytes of records i32 | bytes of rows i32 | checksum of all that i32             then the body: records, rows
 * </pre>
 *
 * @param bodyCrc CRC32C of the body
 * @param store number of the store's id in that start
 * @param incarnation start of the gateway that wrote it
 * @param first number of its first record
 * @param last number of its last record
 * @param atEpochMillis when it was committed
 * @param greatestEpoch greatest epoch of a session that was ever committed
 * @param recordBytes of the body
 * @param rowBytes of the body, behind the records
 */
record BatchHeader(
        int bodyCrc,
        long store,
        long incarnation,
        long first,
        long last,
        long atEpochMillis,
        long greatestEpoch,
        int recordBytes,
        int rowBytes) {
    static final int BYTES = 68;
    static final int MAGIC = 0x68_77_6a_31; // hwj1

    private static final int CRC_AT = BYTES - Integer.BYTES;

    /** Of the batch, this included. */
    long bytes() {
        return (long) BYTES + recordBytes + rowBytes;
    }

    /** Writes it to the beginning of an array. */
    void writeTo(byte[] batch) {
        ByteBuffer out = ByteBuffer.wrap(batch, 0, BYTES);
        out.putInt(MAGIC)
                .putInt(bodyCrc)
                .putLong(store)
                .putLong(incarnation)
                .putLong(first)
                .putLong(last)
                .putLong(atEpochMillis)
                .putLong(greatestEpoch)
                .putInt(recordBytes)
                .putInt(rowBytes);
        out.putInt(crc(batch, 0, CRC_AT));
    }

    /** The header in these bytes; null: they are none as it was written. */
    static @Nullable BatchHeader read(byte[] bytes, int at) {
        ByteBuffer in = ByteBuffer.wrap(bytes, at, BYTES);
        if (in.getInt() != MAGIC || ByteBuffer.wrap(bytes).getInt(at + CRC_AT) != crc(bytes, at, CRC_AT)) {
            return null;
        }
        return new BatchHeader(
                in.getInt(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getInt(),
                in.getInt());
    }

    static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
