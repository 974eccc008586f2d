package io.heartwheel.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A store in memory, whose batches a test can damage and whose commits and reads it can make fail. Any thread: guarded by itself. */
public final class MemoryStore implements Store {
    public static final String ID = "00000000000000aa";

    private record Kept(long first, long last, long atEpochMillis, byte[] body, boolean damaged) {
        RecordBatch behind(long skip) {
            return damaged
                    ? RecordBatch.damaged(first + skip, last, atEpochMillis)
                    : new RecordBatch(Long.parseLong(ID, 16), first, last, atEpochMillis, body, body.length, skip);
        }
    }

    /** By the number of the last record. */
    private final TreeMap<Long, Kept> batches = new TreeMap<>();

    private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    private final Cursors cursors = new Cursors(Map.of());
    private boolean ended;
    private Start start = new Start(2, 1, true, 0, 0);
    private long greatestEpoch;
    private long lastNumber;
    private long nowEpochMillis;
    private @Nullable StoreException failure;

    /** What is committed from now on is so at this time. */
    public synchronized void at(long epochMillis) {
        nowEpochMillis = epochMillis;
    }

    /** A gateway starts with it, at this time. */
    public synchronized void startAt(long epochMillis) {
        long previous = start.incarnation();
        long incarnation = Math.max(previous + 1, TimeUnit.MILLISECONDS.toSeconds(epochMillis));
        start = new Start(incarnation, previous, ended, greatestEpoch, nowEpochMillis);
        ended = false;
    }

    /** The greatest that was ever committed. */
    public synchronized long greatestEpoch() {
        return greatestEpoch;
    }

    /** Commits and reads fail with this; null: they do not. */
    public synchronized void failWith(@Nullable StoreException cause) {
        failure = cause;
    }

    /** The batch with this record cannot be read any more. */
    public synchronized void damage(long number) {
        Map.Entry<Long, Kept> found = batches.ceilingEntry(number);
        Kept kept = found.getValue();
        batches.put(found.getKey(), new Kept(kept.first, kept.last, kept.atEpochMillis, new byte[0], true));
    }

    /** Commits one record of this type, whose payload is a text. */
    public void append(int type, String key, String payload) throws StoreException {
        Transaction transaction = new Transaction();
        ByteBuffer text = StandardCharsets.UTF_8.encode(payload);
        transaction.records().add(type, nowEpochMillis, key.getBytes(StandardCharsets.UTF_8), text);
        commit(transaction);
    }

    @Override
    public synchronized void commit(Transaction transaction) throws StoreException {
        throwIfFailing();
        int count = transaction.records().count();
        if (count > 0) {
            byte[] body = Records.body(transaction.records());
            Kept kept = new Kept(lastNumber + 1, lastNumber + count, nowEpochMillis, body, false);
            lastNumber += count;
            batches.put(lastNumber, kept);
        }
        greatestEpoch = Math.max(greatestEpoch, transaction.epoch());
        transaction.rows().forEach(row -> {
            if (row.value() == null) {
                rows.remove(row.key());
            } else {
                rows.put(row.key(), row.value());
            }
        });
        notifyAll();
    }

    @Override
    public void lacksRoom() {
        // the test drops
    }

    /** Drops the batches that end here or before. */
    public synchronized void drop(long upTo) {
        batches.headMap(upTo, true).clear();
    }

    private void throwIfFailing() throws StoreException {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public StoreReader reader() {
        return new Reader();
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public synchronized long firstNumber() {
        return batches.isEmpty() ? lastNumber + 1 : batches.firstEntry().getValue().first;
    }

    @Override
    public synchronized long lastNumber() {
        return lastNumber;
    }

    @Override
    public synchronized long recordBytes() {
        return batches.values().stream().mapToLong(kept -> kept.body.length).sum();
    }

    @Override
    public Damage damage() {
        return Damage.NONE;
    }

    @Override
    public void onDamage(Runnable listener) {
        // nothing is damaged
    }

    @Override
    public void onKeeping(Runnable works, Runnable rests) {
        // nothing is kept
    }

    @Override
    public Cursors cursors() {
        return cursors;
    }

    /** As {@link Cursors#least}. */
    public long least(boolean noRoom) {
        return cursors.least(noRoom);
    }

    @Override
    public synchronized Start start() {
        return start;
    }

    @Override
    public synchronized Figures figures() {
        return new Figures(1, batches.isEmpty() ? 0 : batches.firstEntry().getValue().atEpochMillis, 0, 0, 0);
    }

    @Override
    public synchronized void forget(byte[] presenceKey) {
        rows.remove(presenceKey);
    }

    @Override
    public synchronized void ended() {
        ended = true;
    }

    /** Whether it was told so. */
    public synchronized boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() {}

    private final class Reader implements StoreReader {
        @Override
        public @Nullable RecordBatch next(long after) throws StoreException {
            synchronized (MemoryStore.this) {
                throwIfFailing();
                Map.Entry<Long, Kept> found = batches.higherEntry(after);
                return found == null ? null : found.getValue().behind(Math.max(0, after - found.getValue().first + 1));
            }
        }

        @Override
        public boolean await(long after, long millis) throws InterruptedException {
            synchronized (MemoryStore.this) {
                long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
                long leftNanos = endNanos - System.nanoTime();
                while (lastNumber <= after && leftNanos > 0) {
                    TimeUnit.NANOSECONDS.timedWait(MemoryStore.this, leftNanos);
                    leftNanos = endNanos - System.nanoTime();
                }
                return lastNumber > after;
            }
        }

        @Override
        public long firstSince(long epochMillis) throws StoreException {
            synchronized (MemoryStore.this) {
                throwIfFailing();
                return batches.values().stream()
                        .filter(batch -> batch.atEpochMillis >= epochMillis)
                        .findFirst()
                        .map(Kept::first)
                        .orElse(lastNumber + 1);
            }
        }

        @Override
        public List<Row> rows(byte[] after, int limit) {
            synchronized (MemoryStore.this) {
                List<Row> all = new ArrayList<>();
                rows.tailMap(after, after.length == 0).forEach((key, value) -> all.add(new Row(key, value)));
                return all.subList(0, Math.min(limit, all.size()));
            }
        }

        @Override
        public void close() {}
    }
}
