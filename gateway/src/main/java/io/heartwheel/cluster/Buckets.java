package io.heartwheel.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;

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
    private volatile List<RowStore> all;
    /** Guarded by this. */
    private BiConsumer<byte[], Row> listener = (deviceId, row) -> {};

    /** All rows in one, as long as nothing else is known. */
    public Buckets(RowStore first) {
        all = List.of(first);
    }

    /**
     * Where the rows of devices are. Once, before anything is asked or watched.
     *
     * @param devices empty: in the first
     */
    public synchronized void devicesIn(List<? extends RowStore> devices) {
        devices.forEach(each -> each.hear(listener));
        all = Stream.concat(all.stream(), devices.stream()).toList();
    }

    /** Which of so many buckets of devices has the row of this one, 0 being the first of them. The upper bits: a balancer may have used the lower ones. */
    static int share(byte[] deviceId, int count) {
        CRC32 sum = new CRC32();
        sum.update(deviceId);
        return (int) ((sum.getValue() * count) >>> Integer.SIZE);
    }

    private int bucket(byte[] deviceId) {
        int devices = all.size() - 1;
        return devices == 0 || NodeRow.isKey(deviceId) ? 0 : 1 + share(deviceId, devices);
    }

    private static Row in(int bucket, Row row) {
        return bucket == 0 || row.revision() == 0 ? row : row.at(Moment.revision(bucket, row.revision()));
    }

    @Override
    public CompletionStage<Row> read(byte[] deviceId) {
        int bucket = bucket(deviceId);
        return all.get(bucket).read(deviceId).thenApply(row -> in(bucket, row));
    }

    @Override
    public CompletionStage<Row> readLatest(byte[] deviceId) {
        int bucket = bucket(deviceId);
        return all.get(bucket).readLatest(deviceId).thenApply(row -> in(bucket, row));
    }

    @Override
    public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
        int bucket = bucket(deviceId);
        return revision == 0 || Moment.bucket(revision) == bucket
                ? all.get(bucket).write(deviceId, row, Moment.inBucket(revision))
                : CompletableFuture.completedFuture(false); // a row that somebody put where it does not belong
    }

    @Override
    public CompletionStage<?> purge(byte[] deviceId, long revision) {
        return all.get(Moment.bucket(revision)).purge(deviceId, Moment.inBucket(revision));
    }

    @Override
    public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
        int bucket = nodesAlone ? 0 : Moment.bucket(after);
        return all.get(bucket)
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
        return all.get(0).state();
    }

    /** The row is looked at when all buckets have answered: what was written when it was written over is not included then. */
    @Override
    public CompletionStage<Moment> moment(byte[] key, long revision) {
        if (all.size() == 1) {
            return RowStore.super.moment(key, revision);
        }
        List<CompletableFuture<Long>> lasts = all.stream()
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
    public void watch(byte[] deviceId, boolean listens) {
        all.get(bucket(deviceId)).watch(deviceId, listens);
    }
}
