package io.heartwheel.admin;

import io.heartwheel.cluster.RowStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reader of all rows of a store for a copy of them: of those that are there, and then of what is new, in pages.
 *
 * <p>Any thread; nothing blocks. Guarded by this, for some steps.
 *
 * @param <K> key of a row in the copy
 */
final class RowReader<K> {
    private final RowStore rows;
    private final Executor thread;
    private final int most;
    private final Supplier<Set<K>> keys;
    private final Function<RowStore.Entry, K> learn;
    private final Function<List<K>, CompletionStage<?>> lost;

    // ---- guarded by this
    private CompletableFuture<Boolean> latest = CompletableFuture.completedFuture(true);
    /** Whether the latest has not begun. */
    private boolean waits;
    /** When the store of these rows was made. */
    private long madeMillis;

    private long after;
    /** Of the copy, since it is read from the beginning; null: all rows were seen. */
    private @Nullable Set<K> unseen;

    /**
     * Begins with the first {@link #refresh}.
     *
     * @param thread where rows are taken into the copy
     * @param most rows of a page
     * @param keys of the copy, when reading begins: a set of their own
     * @param learn takes a row into the copy
     * @param lost told of the keys of which no row was there, at the end of a reading from the beginning; if it fails, with the next refresh again
     */
    RowReader(
            RowStore rows,
            Executor thread,
            int most,
            Supplier<Set<K>> keys,
            Function<RowStore.Entry, K> learn,
            Function<List<K>, CompletionStage<?>> lost) {
        this.rows = rows;
        this.thread = thread;
        this.most = most;
        this.keys = keys;
        this.learn = learn;
        this.lost = lost;
        fromTheBeginning();
    }

    /** All rows are read again, as they may be others than before. */
    synchronized void fromTheBeginning() {
        after = 0;
        unseen = keys.get();
    }

    /** Whether all rows are read, not only what is new. */
    synchronized boolean readsAll() {
        return unseen != null;
    }

    /** There is a row of this key, or none is missed. */
    synchronized void saw(K key) {
        if (unseen != null) {
            unseen.remove(key);
        }
    }

    /** Brings the copy up to what the store has now; fails if it cannot be asked. */
    synchronized CompletableFuture<Boolean> refresh() {
        if (!waits) {
            waits = true;
            latest = latest.handle((done, failure) -> true).thenComposeAsync(free -> begin(), thread);
        }
        return latest;
    }

    private synchronized CompletionStage<Boolean> begin() {
        waits = false;
        return rows.state().thenComposeAsync(this::pages, thread);
    }

    private synchronized CompletionStage<Boolean> pages(RowStore.State now) {
        if (now.isAnother(madeMillis, after)) {
            madeMillis = now.madeMillis();
            fromTheBeginning();
        }
        return pages(now.lastRevision());
    }

    /** @param last what is written later is for the next time */
    private synchronized CompletionStage<Boolean> pages(long last) {
        Set<K> reading = unseen;
        return after >= last
                ? seenAll()
                : rows.page(false, after, most).thenComposeAsync(page -> take(page, reading, last), thread);
    }

    private CompletionStage<Boolean> take(List<RowStore.Entry> page, @Nullable Set<K> reading, long last) {
        page.forEach(each -> saw(learn.apply(each)));
        synchronized (this) {
            if (unseen != reading) {
                return pages(last); // it begins anew
            }
            if (page.isEmpty()) {
                return seenAll();
            }
            after = page.get(page.size() - 1).row().revision();
            return pages(last);
        }
    }

    private synchronized CompletionStage<Boolean> seenAll() {
        Set<K> all = unseen;
        return all == null
                ? CompletableFuture.completedFuture(true)
                : lost.apply(List.copyOf(all)).thenApplyAsync(done -> hasSeen(all), thread);
    }

    private synchronized boolean hasSeen(Set<K> all) {
        unseen = unseen == all ? null : unseen; // else it begins anew
        return true;
    }
}
