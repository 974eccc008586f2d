package io.heartwheel.cluster;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Rows as others have them, but for what a test changes. */
public class RowsAround implements RowStore {
    protected final RowStore there;

    /** Changes nothing. */
    public RowsAround(RowStore there) {
        this.there = there;
    }

    @Override
    public CompletionStage<Row> read(byte[] key) {
        return there.read(key);
    }

    @Override
    public CompletionStage<Row> readLatest(byte[] key) {
        return there.readLatest(key);
    }

    @Override
    public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
        return there.write(key, row, revision);
    }

    @Override
    public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
        return there.page(nodesAlone, after, most);
    }

    @Override
    public CompletionStage<State> state() {
        return there.state();
    }

    @Override
    public CompletionStage<?> purge(byte[] key, long revision) {
        return there.purge(key, revision);
    }

    @Override
    public CompletionStage<Moment> moment(byte[] key, long revision) {
        return there.moment(key, revision);
    }
}
