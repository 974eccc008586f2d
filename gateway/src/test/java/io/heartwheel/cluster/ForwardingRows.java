package io.heartwheel.cluster;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Rows of another store, so that a test changes what one call does. */
public class ForwardingRows implements RowStore {
    protected final RowStore there;

    public ForwardingRows(RowStore there) {
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
}
