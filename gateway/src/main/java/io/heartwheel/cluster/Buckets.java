package io.heartwheel.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a fleet in one bucket, or in several, so that not one leader takes all writes. Any thread; nothing blocks.
 *
 * <pre>
 *   one       the first bucket has all rows
 *   several   the first has those of {@link NodeRow}; a device's is in one of the others, which the CRC-32 of its id names
 * </pre>
 *
 * All gateways of a fleet have to know the same number: with two numbers a device has two rows, and two holders.
 */
public final class Buckets implements RowStore {
    private final RowStore first;
    private volatile List<RowStore> all;
    private volatile BiConsumer<byte[], Row> listener = (deviceId, row) -> {};

    /** What is watched before it is known where; null: it is. Guarded by this. */
    private @Nullable Map<ByteBuffer, byte[]> early = new HashMap<>();

    /** All rows in one, as long as nothing else is known. */
    public Buckets(RowStore first) {
        this.first = first;
        all = List.of(first);
    }

    /**
     * Where the rows of devices are. Once, before anything is asked.
     *
     * @param devices empty: in the first
     */
    public synchronized void devicesIn(List<? extends RowStore> devices) {
        List<RowStore> parts = new ArrayList<>(List.of(first));
        parts.addAll(devices);
        devices.forEach(each -> each.hear(listener));
        all = List.copyOf(parts);
        Map<ByteBuffer, byte[]> waiting = early;
        early = null;
        if (waiting != null) {
            waiting.values().forEach(each -> watch(each, true));
        }
    }

    /** Which of so many buckets of devices has the row of this one, 0 being the first of them. The upper bits: a balancer may have used the lower ones. */
    static int share(byte[] deviceId, int count) {
        CRC32 sum = new CRC32();
        sum.update(deviceId);
        return (int) ((sum.getValue() * count) >>> Integer.SIZE);
    }

    private static int bucket(byte[] deviceId, List<RowStore> all) {
        return all.size() == 1 || NodeRow.isKey(deviceId) ? 0 : 1 + share(deviceId, all.size() - 1);
    }

    private static Row in(int bucket, Row row) {
        return bucket == 0 || row.revision() == 0
                ? row
                : new Row(
                        row.node(),
                        row.sessionId(),
                        row.epoch(),
                        row.held(),
                        Moment.revision(bucket, row.revision()),
                        row.more());
    }

    @Override
    public CompletionStage<Row> read(byte[] deviceId) {
        List<RowStore> now = all;
        int bucket = bucket(deviceId, now);
        return now.get(bucket).read(deviceId).thenApply(row -> in(bucket, row));
    }

    @Override
    public CompletionStage<Row> readLatest(byte[] deviceId) {
        List<RowStore> now = all;
        int bucket = bucket(deviceId, now);
        return now.get(bucket).readLatest(deviceId).thenApply(row -> in(bucket, row));
    }

    @Override
    public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
        List<RowStore> now = all;
        int bucket = bucket(deviceId, now);
        return revision == 0 || Moment.bucket(revision) == bucket
                ? now.get(bucket).write(deviceId, row, Moment.inBucket(revision))
                : CompletableFuture.completedFuture(false); // a row that somebody put where it does not belong
    }

    @Override
    public CompletionStage<?> purge(byte[] deviceId, long revision) {
        return all.get(Moment.bucket(revision)).purge(deviceId, Moment.inBucket(revision));
    }

    @Override
    public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
        List<RowStore> now = all;
        int bucket = nodesAlone ? 0 : Moment.bucket(after);
        return now.get(bucket)
                .page(nodesAlone, Moment.inBucket(after), most)
                .thenApply(page -> bucket == 0
                        ? page
                        : page.stream()
                                .map(each -> new Entry(each.deviceId(), in(bucket, each.row()), each.atMillis()))
                                .toList());
    }

    /** Of the first, which has the rows that are read on and on. */
    @Override
    public CompletionStage<State> state() {
        return first.state();
    }

    /** The row is looked at when all buckets have answered: what was written when it was written over is not included then. */
    @Override
    public CompletionStage<Moment> moment(byte[] key, long revision) {
        List<RowStore> now = all;
        if (now.size() == 1) {
            return RowStore.super.moment(key, revision);
        }
        List<CompletableFuture<Long>> lasts = now.stream()
                .map(each -> each.state()
                        .thenApply(state -> state.rows() == 0 ? 0 : state.lastRevision())
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(lasts.toArray(CompletableFuture[]::new))
                .thenCompose(done -> readLatest(key))
                .thenCompose(row -> row.revision() == revision
                        ? CompletableFuture.completedFuture(new Moment(lasts.stream()
                                .mapToLong(CompletableFuture::join)
                                .toArray()))
                        : CompletableFuture.failedFuture(
                                new EngineException(EngineException.Kind.CONTENDED, "the row was written meanwhile")));
    }

    @Override
    public synchronized void hear(BiConsumer<byte[], Row> given) {
        listener = given;
        all.forEach(each -> each.hear(given));
    }

    @Override
    public synchronized void watch(byte[] deviceId, boolean listens) {
        List<RowStore> now = all;
        Map<ByteBuffer, byte[]> waiting = early;
        if (waiting == null) {
            now.get(bucket(deviceId, now)).watch(deviceId, listens);
        } else if (listens) {
            waiting.put(ByteBuffer.wrap(deviceId), deviceId);
        } else {
            waiting.remove(ByteBuffer.wrap(deviceId));
        }
    }
}
