package io.heartwheel.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are committed together: records, rows put and deleted, a head that is dropped. Made once and used again and again. One thread.
 */
public final class Transaction {
    private final RecordBatch.Builder records = new RecordBatch.Builder();
    private final List<RowChange> rows = new ArrayList<>();
    private long dropUpTo;

    /** Records to append. */
    public RecordBatch.Builder records() {
        return records;
    }

    /** Puts a row; the arrays belong to the transaction from now on. */
    public void put(RowSpace space, byte[] key, byte[] value) {
        rows.add(new RowChange(space, key, value));
    }

    /** Deletes a row, if there is one; the array belongs to the transaction from now on. */
    public void delete(RowSpace space, byte[] key) {
        rows.add(new RowChange(space, key, null));
    }

    /** Records up to this number are needed no more. Those that were committed together with one that is needed stay. */
    public void dropUpTo(long number) {
        dropUpTo = number;
    }

    /** Whether there is nothing in it. */
    public boolean isEmpty() {
        return records.count() == 0 && rows.isEmpty() && dropUpTo == 0;
    }

    /** Nothing is in it from now on. */
    public void clear() {
        records.clear();
        rows.clear();
        dropUpTo = 0;
    }

    List<RowChange> rows() {
        return rows;
    }

    long dropped() {
        return dropUpTo;
    }

    /**
     * A row to be put, or deleted.
     *
     * @param value null: to be deleted
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record RowChange(RowSpace space, byte[] key, byte @Nullable [] value) {}
}
