package io.heartwheel.outlet;

import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.util.List;

/**
 * Reader of a store that does something before each read, say fails.
 *
 * @param before each {@link #next}
 */
record ScriptedReader(StoreReader to, Step before) implements StoreReader {
    /** What is done. */
    @FunctionalInterface
    interface Step {
        void run() throws StoreException;
    }

    /** One that fails at every n-th read. */
    static ScriptedReader failing(StoreReader to, int n) {
        int[] reads = new int[1];
        return new ScriptedReader(to, () -> {
            if (++reads[0] % n == 0) {
                throw new StoreException(StoreException.Cause.OTHER, "broken");
            }
        });
    }

    @Override
    public RecordBatch next(long after) throws StoreException {
        before.run();
        return to.next(after);
    }

    @Override
    public boolean await(long after, long millis) throws InterruptedException {
        return to.await(after, millis);
    }

    @Override
    public long firstSince(long epochMillis) throws StoreException {
        return to.firstSince(epochMillis);
    }

    @Override
    public List<Row> rows(byte[] after, int limit) throws StoreException {
        return to.rows(after, limit);
    }

    @Override
    public void close() throws StoreException {
        to.close();
    }
}
