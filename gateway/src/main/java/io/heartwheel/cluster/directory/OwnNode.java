package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowStore.Entry;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Row of this start of the gateway ({@link NodeRow}), looked at every 2 s: it is written if it is not there, or if somebody has taken this node for lost. The
 * rows of others are read when the engine is there, and what is new every 30 s, so that those are looked after that died while nobody heard. A row with which
 * nothing is left to do is removed when there is one that is a week newer, by the store's clock: only starts make rows, so whoever starts tidies. Not earlier: to
 * who heard the node and has not read its row, one that is not there says nothing of an end in order.
 *
 * <p>{@link #turn}: one thread, answers come on any. Guarded by this, for some nanoseconds.
 */
final class OwnNode {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int PAGE = 1_000;
    private static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(7);

    private final NodeId self;
    private final byte[] key;
    private final RowStore rows;
    private final Members members;

    /** Told when the row says again that this node lives: whether it may have been taken for lost meanwhile. */
    private final Consumer<Boolean> onKept;

    private long dueNanos;
    private boolean asks;
    private boolean wasThere;
    /** The row is to be written in any case. */
    private boolean confirms;
    /** Number of times after which somebody may have taken this node for lost, and of the last one after which the row was seen to say that it lives. */
    private long doubts;

    private long dispelled;

    private boolean leaves;
    /** Where reading the rows of others goes on, in the store that was made then. */
    private long after;

    private long madeMillis;

    private boolean reads;
    private boolean finds;
    private long readNanos;
    /** Whether all that were there when the engine came are known. */
    private boolean hasRead;
    /** Rows with which nothing is left to do, the oldest first; not more than a page. */
    private final Queue<Entry> done = new ArrayDeque<>();

    OwnNode(NodeId self, RowStore rows, Members members, Consumer<Boolean> onKept, long nowNanos) {
        this.self = self;
        key = NodeRow.key(self);
        this.rows = rows;
        this.members = members;
        this.onKept = onKept;
        dueNanos = nowNanos;
        readNanos = nowNanos;
    }

    /** The engine has come back: others may have died meanwhile, and this node may count as lost. */
    synchronized void begin(long nowNanos) {
        dueNanos = nowNanos;
        doubts++;
        fromTheBeginning();
        hasRead = false;
        readNanos = nowNanos;
    }

    private void fromTheBeginning() {
        after = 0;
        done.clear();
    }

    /** This node stood still: its row is written before anything else, so that nobody takes it for lost any more who has not yet; then who waits is told. */
    synchronized void confirm(long nowNanos) {
        confirms = true;
        doubts++;
        dueNanos = nowNanos;
    }

    /** Whether the members know of all nodes whose starts have a row. */
    synchronized boolean hasRead() {
        return hasRead;
    }

    /** Whether the row says that this node lives, as far as is known: before, no device's row is written, since nobody might look after it. */
    synchronized boolean isConfirmed() {
        return dispelled == doubts;
    }

    /** Only while the engine is there. */
    synchronized void turn(long nowNanos) {
        if (nowNanos - readNanos >= 0 && !reads) {
            read(nowNanos);
        }
        if (nowNanos - dueNanos >= 0 && !asks && !leaves) {
            dueNanos = nowNanos + LOOK_NANOS;
            look();
        }
    }

    private void look() {
        asks = true;
        long before = doubts;
        CompletionStage<Row> found = dispelled == doubts ? rows.read(key) : rows.readLatest(key);
        found.thenCompose(row -> keep(row, before)).whenComplete((done, failure) -> {
            synchronized (this) {
                asks = false;
            }
        });
    }

    private CompletionStage<Boolean> keep(Row row, long before) {
        boolean lives = NodeRow.lives(row, self);
        synchronized (this) {
            wasThere |= lives;
            if (leaves || (lives && !confirms)) {
                dispelled = lives ? before : dispelled;
                return CompletableFuture.completedFuture(true);
            }
        }
        return rows.write(key, NodeRow.living(row, self), row.revision()).whenComplete((written, failure) -> {
            if (Boolean.TRUE.equals(written)) {
                kept(lives, before);
            } else if (written != null) {
                lookSoon();
            }
        });
    }

    private synchronized void lookSoon() {
        dueNanos -= LOOK_NANOS;
    }

    private void kept(boolean lives, long before) {
        boolean first;
        synchronized (this) {
            first = !wasThere && !confirms;
            wasThere = true;
            confirms &= before != doubts;
            dispelled = before;
        }
        if (!first) {
            onKept.accept(!lives);
        }
    }

    private void read(long nowNanos) {
        reads = true;
        rows.state().thenCompose(this::page).whenComplete((page, failure) -> {
            synchronized (this) {
                reads = false;
                if (page != null) {
                    learn(page);
                    hasRead |= page.isEmpty();
                    readNanos = page.isEmpty() ? nowNanos + READ_NANOS : nowNanos;
                }
            }
        });
    }

    private synchronized CompletionStage<List<Entry>> page(RowStore.State now) {
        if (now.isAnother(madeMillis, after)) {
            madeMillis = now.madeMillis();
            fromTheBeginning();
        }
        return rows.page(true, after, PAGE);
    }

    private void learn(List<Entry> page) {
        for (Entry entry : page) {
            after = Math.max(after, entry.row().revision());
            try {
                NodeId node = NodeRow.node(entry.deviceId());
                if (!NodeRow.isDone(entry.row(), node)) {
                    members.learn(node);
                } else if (done.size() < PAGE) {
                    done.add(entry);
                }
            } catch (IllegalArgumentException foreign) {
                // written by somebody else
            }
            tidy(entry.atMillis() - KEPT_MILLIS);
        }
    }

    /** Learns from its row of a node that nobody has told of: whether it may be there, or is gone. One at a time. */
    synchronized void find(NodeId node) {
        if (finds) {
            return;
        }
        finds = true;
        rows.readLatest(NodeRow.key(node)).whenComplete((row, failure) -> {
            synchronized (this) {
                finds = false;
            }
            if (row != null && (row.node() == null || NodeRow.isDone(row, node))) {
                members.isOver(node);
            } else if (row != null) {
                members.learn(node);
            }
        });
    }

    private void tidy(long beforeMillis) {
        for (Entry oldest = done.peek(); oldest != null && oldest.atMillis() < beforeMillis; oldest = done.peek()) {
            done.remove();
            rows.purge(oldest.deviceId(), oldest.row().revision()); // if it fails, the next start does it
        }
    }

    /**
     * This node ends in order.
     *
     * @param leavesNothing whether all ids are given back
     */
    CompletionStage<Boolean> leave(boolean leavesNothing) {
        synchronized (this) {
            leaves = true;
        }
        return rows.read(key)
                .thenCompose(row -> NodeRow.lives(row, self) || row.node() == null
                        ? rows.write(key, NodeRow.ended(row, self, leavesNothing), row.revision())
                        : CompletableFuture.completedFuture(false));
    }
}
