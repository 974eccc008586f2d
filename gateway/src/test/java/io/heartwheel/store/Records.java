package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Records whose content follows from their number, so that a test knows what each must be. */
final class Records {
    static final long NOW = 1_767_225_600_000L;

    private Records() {}

    static final long MAX_BYTES = 1 << 20;

    static SegmentStore open(Path directory) throws StoreException {
        return SegmentStore.open(settings(directory), () -> NOW);
    }

    /** Forced, with segments of 64 KiB. */
    static StoreSettings settings(Path directory) {
        return new StoreSettings(directory, StoreSettings.Sync.ALWAYS, MAX_BYTES, Duration.ofHours(1));
    }

    static byte[] payload(long number, int bytes) {
        byte[] payload = new byte[bytes];
        new Random(number).nextBytes(payload);
        return payload;
    }

    /** As they stand in a segment. */
    static byte[] body(RecordBatch.Builder records) {
        return Arrays.copyOfRange(records.withRoomFor(0), BatchHeader.BYTES, BatchHeader.BYTES + records.bytes());
    }

    /** Between 0 and 400 bytes, by the number. */
    static byte[] payload(long number) {
        return payload(number, (int) ((number * 31) % 401));
    }

    static void add(Transaction transaction, long number) {
        transaction.records().add((int) (number % 7), NOW + number, key(number), ByteBuffer.wrap(payload(number)));
    }

    static byte[] key(long number) {
        return ("device-" + number % 13).getBytes(StandardCharsets.UTF_8);
    }

    /** So many records that follow, in one commit. */
    static void append(Store store, Transaction transaction, int count) throws StoreException {
        transaction.clear();
        for (int i = 1; i <= count; i++) {
            add(transaction, store.lastNumber() + i);
        }
        store.commit(transaction);
        transaction.clear();
    }

    static void append(Store store, int count) throws StoreException {
        append(store, new Transaction(), count);
    }

    /** Commits that fill so many segments of 64 KiB, and begin another. */
    static void fill(SegmentStore store, int segments) throws StoreException {
        Transaction transaction = new Transaction();
        int before = store.figures().segments();
        while (store.figures().segments() <= before + segments) {
            append(store, transaction, 40);
        }
    }

    /** Commits a record with this row. */
    static void put(Store store, byte[] key, byte[] value) throws StoreException {
        Transaction transaction = new Transaction();
        add(transaction, store.lastNumber() + 1);
        transaction.put(key, value);
        store.commit(transaction);
    }

    /** The rows behind a key: the second byte of their keys, and the first of their values. */
    static String rows(StoreReader reader, byte[] after) throws StoreException {
        return reader.rows(after, 10).stream()
                .map(row -> row.key()[1] + "=" + row.value()[0])
                .collect(Collectors.joining(" "));
    }

    /** What a reader tells from a number on to the end: ranges that are whole, checked byte for byte, and ranges that are damaged. */
    static List<Range> read(Store store, long after) throws IOException {
        List<Range> all = new ArrayList<>();
        try (StoreReader reader = store.reader()) {
            long known = after;
            for (RecordBatch batch = reader.next(known); batch != null; batch = reader.next(known)) {
                check(batch);
                all.add(new Range(batch.firstNumber(), batch.lastNumber(), batch.isDamaged()));
                known = batch.lastNumber();
            }
        }
        return all;
    }

    private static void check(RecordBatch batch) {
        long number = batch.firstNumber();
        for (RecordBatch.Entry entry : batch) {
            assertFalse(batch.isDamaged());
            assertEquals(number, entry.number());
            assertEquals(number % 7, entry.type());
            assertEquals(NOW + number, entry.atEpochMillis());
            assertArrayEquals(key(number), entry.key());
            byte[] payload = new byte[entry.payload().remaining()];
            entry.payload().get(payload);
            assertArrayEquals(payload(number), payload, "record " + number);
            number++;
        }
        assertEquals(batch.isDamaged() ? batch.firstNumber() : batch.lastNumber() + 1, number);
    }

    /** Checks that ranges follow each other without a hole from one number to another; returns how many numbers are damaged. */
    static long damagedIn(List<Range> ranges, long from, long to) {
        long expected = from;
        long damaged = 0;
        for (Range range : ranges) {
            assertEquals(expected, range.first(), () -> "a hole in " + ranges);
            expected = range.last() + 1;
            damaged += range.damaged() ? range.last() - range.first() + 1 : 0;
        }
        assertEquals(to + 1, expected, () -> "the end of " + ranges);
        return damaged;
    }

    record Range(long first, long last, boolean damaged) {}
}
