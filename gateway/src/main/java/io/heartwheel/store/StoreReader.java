package io.heartwheel.store;

import java.io.Closeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reader of a store, which sees what is committed. One thread at a time. */
public interface StoreReader extends Closeable {
    /**
     * Some of the records that follow: those that were committed together, but for what is not newer than {@code after}. Never blocks for want of records.
     *
     * @param after number of the newest record that is known already; if the records behind it were dropped, reading goes on with the oldest
     * @return null if there is none
     * @throws StoreException if it cannot be read; a damaged one is told as {@link RecordBatch#isDamaged}, and the next read goes on behind it
     */
    @Nullable
    RecordBatch next(long after) throws StoreException;

    /**
     * Waits for records.
     *
     * @param after number of the newest record that is known already
     * @param millis at most so long, 1 or more
     * @return whether there is a newer one
     */
    boolean await(long after, long millis) throws InterruptedException;

    /** Number of the oldest record that was committed at this time or later, milliseconds since 1970; {@code lastNumber() + 1} if there is none. */
    long firstSince(long epochMillis) throws StoreException;

    /**
     * Rows of who is present after all that is committed, in the order of their keys, compared as unsigned bytes. May block on the disk.
     *
     * @param after the rows behind this key; an empty one: from the first
     * @param limit at most so many, 1 or more
     */
    List<Row> rows(byte[] after, int limit) throws StoreException;

    @Override
    void close() throws StoreException;

    /** A row. The arrays belong to whoever asked. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Row(byte[] key, byte[] value) {}
}
