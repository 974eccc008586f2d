package io.heartwheel.store;

/** Store that tells what was committed. */
public record WatchedStore(Store store, Listener listener) implements Store {
    /** Listener to commits. */
    @FunctionalInterface
    public interface Listener {
        /** A record has this number for good. */
        void committed(long number, RecordBatch.Entry entry);
    }

    @Override
    public void commit(Transaction transaction) throws StoreException {
        store.commit(transaction);
        long last = store.lastNumber();
        int count = transaction.records().count();
        byte[] body = Records.body(transaction.records());
        RecordBatch batch = new RecordBatch(0, last - count + 1, last, 0, body, body.length, 0);
        batch.forEach(entry -> listener.committed(entry.number(), entry));
    }

    @Override
    public void lacksRoom() {
        store.lacksRoom();
    }

    @Override
    public StoreReader reader() throws StoreException {
        return store.reader();
    }

    @Override
    public String id() {
        return store.id();
    }

    @Override
    public long firstNumber() {
        return store.firstNumber();
    }

    @Override
    public long lastNumber() {
        return store.lastNumber();
    }

    @Override
    public long recordBytes() {
        return store.recordBytes();
    }

    @Override
    public Damage damage() {
        return store.damage();
    }

    @Override
    public void onDamage(Runnable found) {
        store.onDamage(found);
    }

    @Override
    public void onKeeping(Runnable works, Runnable rests) {
        store.onKeeping(works, rests);
    }

    @Override
    public Cursors cursors() {
        return store.cursors();
    }

    @Override
    public Start start() {
        return store.start();
    }

    @Override
    public Figures figures() {
        return store.figures();
    }

    @Override
    public void forget(byte[] presenceKey) {
        store.forget(presenceKey);
    }

    @Override
    public void ended() {
        store.ended();
    }

    @Override
    public void close() throws StoreException {
        store.close();
    }
}
