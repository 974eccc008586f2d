package io.heartwheel.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Port to where the rows stand. Any thread; nothing blocks. Each answer comes once, on any thread, within a few seconds: a value, or an {@link EngineException}
 * as the cause. After a failure of a write nobody knows whether it was done, or will still be.
 */
public interface RowStore {
    /**
     * The latest row of a device, or an earlier one: a store of several copies may lag.
     *
     * @param deviceId UTF-8, nobody changes it; or the key of a {@link NodeRow}
     */
    CompletionStage<Row> read(byte[] deviceId);

    /** The latest row, from where writes are decided; costs more than a {@linkplain #read read}. */
    CompletionStage<Row> readLatest(byte[] deviceId);

    /**
     * Writes a row if the one there still has this revision.
     *
     * @param revision of the row that was read; 0: there was none
     * @return whether it was written
     */
    CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision);

    /**
     * Some of the rows of one bucket, in order of their revisions, as far as they are known where it is asked. Of a row that is written again meanwhile the later
     * one comes, later. Nothing is kept between two calls. Where rows may be in several buckets, {@link #moment} leads through all of them.
     *
     * @param nodesAlone only those of {@link NodeRow}; else these too
     * @param after the revision behind which to begin, which names the bucket; 0: the first, all
     * @param most at most so many, 1 or more
     * @return empty if there is none behind that revision
     */
    CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most);

    /** State of the store, from where writes are decided; of several buckets, of the one with those of {@link NodeRow}. */
    default CompletionStage<State> state() {
        return CompletableFuture.completedFuture(new State(0, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    /**
     * A moment while this row was the latest of its key. It fails if that is over; of one bucket the revision itself is the moment when it was written.
     *
     * @param revision of the row as it was read
     */
    default CompletionStage<Moment> moment(byte[] key, long revision) {
        return CompletableFuture.completedFuture(new Moment(revision));
    }

    /**
     * Removes a row that has this revision or an earlier one, as if it had never been; a later one stays. A store may keep it.
     *
     * @param deviceId as in {@link #read}
     */
    default CompletionStage<?> purge(byte[] deviceId, long revision) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Whoever hears of writes of rows that are {@linkplain #watch watched}. Once, before any is. A write that is heard of may not be done yet, may have failed, and
     * one that is done may not be heard of: a store may tell nobody.
     *
     * @param listener device id and row, whose revision means nothing; on a thread of the engine, quick, never throws
     */
    default void hear(BiConsumer<byte[], Row> listener) {}

    /**
     * Listens to writes of the row of a device, or does so no more.
     *
     * @param deviceId nobody changes it
     */
    default void watch(byte[] deviceId, boolean listens) {}

    /**
     * State of a store.
     *
     * @param madeMillis when it was made, by its clock
     * @param lastRevision of what was written last, there or removed; {@link Long#MAX_VALUE}: nobody knows
     * @param rows number of those that are there
     */
    record State(long madeMillis, long lastRevision, long rows) {
        /** Whether these are other rows than those of which one had this revision: their revisions begin anew. */
        public boolean isAnother(long thenMadeMillis, long revision) {
            return madeMillis != thenMadeMillis || lastRevision < revision;
        }
    }

    /**
     * A row and its key.
     *
     * @param deviceId nobody changes it; a key of {@link NodeRow} is none of a device; empty: somebody else's key, and the row says nothing
     * @param atMillis when it was written, milliseconds by the clock of the store
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Entry(byte[] deviceId, Row row, long atMillis) {}
}
