package io.heartwheel.sink;

import io.heartwheel.presence.LostDevices;
import io.heartwheel.store.Cursors;
import io.heartwheel.store.RowSpace;
import io.heartwheel.store.SqliteStore;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.Transaction;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * Journal of a gateway: the store that its events go to before anything is acknowledged, the cursors of its outlets, and the number of this start.
 *
 * <p>Any thread. Opened before the listeners, closed after the sink and the outlets.
 */
public final class Journal implements Closeable, LostDevices.Ledger {
    private static final byte[] INCARNATION = "incarnation".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ENDED = "ended".getBytes(StandardCharsets.US_ASCII);

    private static final int MOST_FORGOTTEN = 10_000;

    private final JournalSettings settings;
    private final Store store;
    private final Cursors cursors = new Cursors();
    /** Keys of rows of {@link RowSpace#PRESENT} that are needed no more; they come at a bounded rate. */
    private final Queue<byte[]> forgotten = new ConcurrentLinkedQueue<>();

    private final long previous;
    private final boolean previousEnded;
    private volatile boolean incomplete;

    private Journal(JournalSettings settings, Store store, long previous, boolean previousEnded) {
        this.settings = settings;
        this.store = store;
        this.previous = previous;
        this.previousEnded = previousEnded;
    }

    /**
     * Opens the journal, or makes one, and takes the next number for this start.
     *
     * @param wallMillis milliseconds since 1970
     * @throws StoreException naming what cannot be used; nothing is left open then
     */
    public static Journal open(JournalSettings settings, LongSupplier wallMillis) throws StoreException {
        return open(settings, SqliteStore.open(settings.store(), wallMillis));
    }

    /** The same over another store, which is closed if that fails. */
    static Journal open(JournalSettings settings, Store store) throws StoreException {
        try (StoreReader reader = store.reader()) {
            byte[] before = reader.row(RowSpace.META, INCARNATION);
            byte[] ended = reader.row(RowSpace.META, ENDED);
            long previous = before == null ? 0 : ByteBuffer.wrap(before).getLong();
            Transaction first = new Transaction();
            first.put(RowSpace.META, INCARNATION.clone(), number(previous + 1));
            store.commit(first);
            return new Journal(
                    settings,
                    store,
                    previous,
                    ended != null && ByteBuffer.wrap(ended).getLong() == previous);
        } catch (StoreException failed) {
            try {
                store.close();
            } catch (StoreException e) {
                failed.addSuppressed(e);
            }
            throw failed;
        }
    }

    /** Where the events are. */
    public Store store() {
        return store;
    }

    /** How far the outlets have come. */
    public Cursors cursors() {
        return cursors;
    }

    /** Number of this start, 1 for the first with this journal. */
    public long incarnation() {
        return previous + 1;
    }

    /** Number of the start before; 0: there was none. */
    public long previous() {
        return previous;
    }

    /** Whether that one ended in good order. */
    public boolean previousEnded() {
        return previousEnded;
    }

    /** Most bytes of events that are kept. */
    public long maxBytes() {
        return settings.maxBytes();
    }

    @Override
    public void forget(byte[] key) {
        forgotten.add(key);
    }

    /** How it is kept. */
    JournalSettings settings() {
        return settings;
    }

    /** Whether rows wait to be deleted. */
    boolean hasForgotten() {
        return !forgotten.isEmpty();
    }

    /** Adds the deletion of rows that are needed no more, some of them. The writer only. */
    void forgotten(Transaction transaction) {
        byte[] key = forgotten.poll();
        for (int i = 0; key != null; i++) {
            transaction.delete(RowSpace.PRESENT, key);
            key = i < MOST_FORGOTTEN ? forgotten.poll() : null;
        }
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    /** Something was lost that could not be told: the next start is to say that this one did not end in good order. Any thread, before {@link #close}. */
    void endedIncomplete() {
        incomplete = true;
    }

    /** Ends this start, in good order if nothing was lost untold, when the sink and the outlets have ended. */
    @Override
    public void close() throws StoreException {
        try {
            Transaction last = new Transaction();
            cursors.storeInto(last);
            if (!incomplete) {
                last.put(RowSpace.META, ENDED.clone(), number(incarnation()));
            }
            store.commit(last);
        } finally {
            store.close();
        }
    }
}
