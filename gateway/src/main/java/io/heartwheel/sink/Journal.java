package io.heartwheel.sink;

import io.heartwheel.store.SegmentStore;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Journal of a gateway: the store that its events go to before anything is acknowledged, the cursors of its outlets, and the number of this start.
 *
 * <p>Any thread. Opened before the listeners, closed after the sink and the outlets.
 */
public final class Journal implements Closeable {
    private final JournalSettings settings;
    private final Store store;
    private volatile boolean incomplete;

    /** Over a store that is open, which is closed with it. */
    Journal(JournalSettings settings, Store store) {
        this.settings = settings;
        this.store = store;
    }

    /**
     * Opens the journal, or makes one, and takes the next number for this start.
     *
     * @param wallMillis milliseconds since 1970
     * @throws StoreException naming what cannot be used; nothing is left open then
     */
    public static Journal open(JournalSettings settings, LongSupplier wallMillis) throws StoreException {
        return new Journal(settings, SegmentStore.open(settings.store(), wallMillis));
    }

    /** Where the events are. */
    public Store store() {
        return store;
    }

    /** Number of this start. */
    public long incarnation() {
        return store.start().incarnation();
    }

    /** Epochs of this start are larger: greatest that was ever committed, and time of this start in microseconds or more, as those of a new journal are not less. */
    public long greatestEpoch() {
        return Math.max(store.start().greatestEpoch(), TimeUnit.SECONDS.toMicros(incarnation()));
    }

    /** Most bytes of events that are kept. */
    public long maxBytes() {
        return settings.store().maxBytes();
    }

    /** How it is kept. */
    JournalSettings settings() {
        return settings;
    }

    /** Something was lost that could not be told: the next start is to say that this one did not end in good order. Any thread, before {@link #close}. */
    void endedIncomplete() {
        incomplete = true;
    }

    /** Ends this start, in good order if nothing was lost untold, when the sink and the outlets have ended. */
    @Override
    public void close() throws StoreException {
        if (!incomplete) {
            store.ended();
        }
        store.close();
    }
}
