package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.Moment;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowStore.Entry;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.NodeDown;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes that are lost: one survivor tells of each, and gives back the ids that it held.
 *
 * <pre>
 *   each survivor reads the row of the lost node ({@link NodeRow}), and does what it says:
 *
 *   lives            --compare-and-set--&gt;  lost, mine
 *   lost, mine       --node-down--------&gt;  told, mine
 *   told, mine       --15 s after its last word: walk through all rows, each released by compare-and-set and told--&gt;  done
 *   ended in order, and left something  --compare-and-set--&gt;  ended, mine   --walk--&gt;  done
 *   another's        wait, and take it from one that is lost itself
 * </pre>
 *
 * Each step is done again by whoever takes over in the middle: at worst something is told twice, never not at all. What the lost node wrote after its row was
 * taken is not touched: it is alive then.
 *
 * <p>Memory is bounded by a page of rows. {@link #turn}: one thread, answers come on any. Guarded by this, for some microseconds, the sink beneath.
 */
final class LostNodes {
    private static final Logger LOG = LoggerFactory.getLogger(LostNodes.class);

    /** Ids given back. */
    static final int MOST_A_SECOND = 5_000;

    private static final int PAGE = 5_000;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final NodeId self;
    private final RowStore rows;
    private final Members members;
    private final EventSink sink;
    private final LongSupplier wallMillis;
    private final ClusterCounts counts;

    private final Map<NodeId, Case> cases = new HashMap<>();
    private double credit;
    private long lastNanos;

    LostNodes(
            NodeId self,
            RowStore rows,
            Members members,
            EventSink sink,
            LongSupplier wallMillis,
            ClusterCounts counts,
            long nowNanos) {
        this.self = self;
        this.rows = rows;
        this.members = members;
        this.sink = sink;
        this.wallMillis = wallMillis;
        this.counts = counts;
        lastNanos = nowNanos;
    }

    /** One lost node. */
    private static final class Case {
        final NodeId node;
        final byte[] key;
        long silentNanos;
        long untilLookNanos;
        /** Whether the engine is asked about its row, or for a page. */
        boolean asks;

        /** Revision of the row whose {@code node-down} this gateway has told. */
        long toldRevision;
        /** Row under which it is walked through; null: it is not. */
        @Nullable
        Row mine;

        /** All rows of before are looked at; null: it is to be asked for. */
        @Nullable
        Moment until;

        long after;
        /** Of a page; those whose end is not known come again, behind. */
        final Queue<Left> page = new ArrayDeque<>();

        int underWay;
        long pageEnd;
        long released;

        Case(NodeId node) {
            this.node = node;
            key = NodeRow.key(node);
        }

        void restarts(Row row) {
            mine = row;
            until = null;
            after = 0;
            pageEnd = 0;
            page.clear();
        }
    }

    /**
     * Row that a lost node has left.
     *
     * @param isSure whether nobody of this gateway has tried to release it
     */
    private record Left(byte[] deviceId, Row row, boolean isSure) {}

    /**
     * Goes on. A second's worth at most at a time; only while the engine is there.
     *
     * @param nowNanos monotonic
     */
    synchronized void turn(long nowNanos) {
        long passedNanos = nowNanos - lastNanos;
        lastNanos = nowNanos;
        credit = Math.min(MOST_A_SECOND, credit + passedNanos * 1e-9 * MOST_A_SECOND);
        List<Members.Lost> lost = members.lost();
        cases.keySet()
                .removeIf(node -> lost.stream().noneMatch(each -> each.node().equals(node)));
        for (Members.Lost each : lost) {
            Case known = cases.computeIfAbsent(each.node(), Case::new);
            known.silentNanos = each.silentNanos();
            known.untilLookNanos -= passedNanos;
            goOn(known);
        }
    }

    private void goOn(Case lost) {
        if (lost.mine == null || isThrough(lost)) {
            if (!lost.asks && lost.untilLookNanos <= 0) {
                look(lost);
            }
            return;
        }
        for (int i = lost.page.size(); i > 0 && credit >= 1; i--) { // what fails comes again in the next turn
            credit--;
            lost.underWay++;
            release(lost, lost.page.remove());
        }
    }

    private static boolean isThrough(Case lost) {
        return lost.page.isEmpty() && lost.underWay == 0;
    }

    // ------------------------------------------------------------------ the node's row

    private void look(Case lost) {
        ask(lost, rows.read(lost.key), row -> {
            if (cases.get(lost.node) == lost) {
                judge(lost, row);
            }
        });
    }

    /** Goes on with what the engine answers, or looks again later. */
    private <T> void ask(Case lost, CompletionStage<T> asked, Consumer<T> then) {
        lost.asks = true;
        asked.whenComplete((answer, failure) -> {
            synchronized (this) {
                lost.asks = false;
                if (answer == null) {
                    lost.untilLookNanos = LOOK_AGAIN_NANOS;
                } else {
                    then.accept(answer);
                }
            }
        });
    }

    private void judge(Case lost, Row row) {
        NodeId by = row.node();
        if (NodeRow.isDone(row, lost.node)) {
            members.isOver(lost.node);
            return;
        }
        if (!row.held() || by == null || by.equals(lost.node)) {
            write(lost, NodeRow.taken(row, lost.node, self), row);
        } else if (!by.equals(self)) {
            lost.mine = null;
            if (members.isAlive(by)) {
                lost.untilLookNanos = LOOK_AGAIN_NANOS;
            } else {
                write(lost, NodeRow.taken(row, lost.node, self), row);
            }
        } else if (!NodeRow.isTold(row)) {
            ask(lost, rows.moment(lost.key, row.revision()), lostAt -> tell(lost, row, lostAt));
        } else {
            walk(lost, row);
        }
    }

    private void write(Case lost, Row next, Row before) {
        ask(
                lost,
                rows.write(lost.key, next, before.revision()),
                written -> lost.untilLookNanos = written ? 0 : LOOK_AGAIN_NANOS);
    }

    private void tell(Case lost, Row row, Moment lostAt) {
        if (lost.toldRevision != row.revision()) {
            lost.toldRevision = row.revision();
            long silentMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(lost.silentNanos));
            LOG.warn("cluster: node {} is lost, not heard of for {} s", lost.node.name(), silentMillis / 1_000);
            sink.publish(new NodeDown(wallMillis.getAsLong(), lost.node.name(), lost.node.incarnation(), silentMillis));
            counts.add(What.NODE_DOWN);
        }
        write(lost, NodeRow.told(row, self, lostAt), row);
    }

    // ------------------------------------------------------------------ rows of its devices

    private void walk(Case lost, Row row) {
        if (lost.silentNanos < Members.LOST_NANOS) {
            lost.untilLookNanos = Members.LOST_NANOS - lost.silentNanos;
            return;
        }
        Row mine = lost.mine;
        if (mine == null || mine.revision() != row.revision()) {
            lost.restarts(row);
        } else {
            lost.after = Math.max(lost.after, lost.pageEnd);
        }
        Moment until = lost.until;
        if (until == null) {
            ask(lost, rows.moment(lost.key, row.revision()), moment -> goThrough(lost, row, moment));
        } else {
            goThrough(lost, row, until);
        }
    }

    private void goThrough(Case lost, Row row, Moment until) {
        long next = until.next(lost.after);
        if (next == Moment.THROUGH) { // its own row was among them
            LOG.info("cluster: {} ids that node {} held are given back", lost.released, lost.node.name());
            lost.mine = null;
            write(lost, NodeRow.done(row, self), row);
            return;
        }
        lost.until = null; // unless a page comes: the bucket may have been made anew
        ask(lost, rows.page(false, next, PAGE), page -> {
            if (page.isEmpty()) {
                lost.untilLookNanos = LOOK_AGAIN_NANOS;
            } else {
                lost.until = until;
                take(lost, row, until, page);
            }
        });
    }

    private static void take(Case lost, Row mine, Moment until, List<Entry> page) {
        Moment lostAt = NodeRow.lostAt(mine);
        for (Entry entry : page) {
            Row row = entry.row();
            lost.pageEnd = Math.max(lost.pageEnd, row.revision());
            // a later one was written by the node itself, which is alive then
            boolean its = lost.node.equals(row.node()) && until.includes(row.revision());
            boolean heldOrGivenBack = row.held() || (lostAt != null && !lostAt.includes(row.revision()));
            if (its && heldOrGivenBack && !NodeRow.isKey(entry.deviceId())) {
                lost.page.add(new Left(entry.deviceId(), row, true));
            }
        }
    }

    private void release(Case lost, Left left) {
        if (!left.row().held()) { // by one before this gateway, who may not have told it
            told(lost, left);
        } else if (left.isSure()) {
            giveBack(lost, left, left.row());
        } else {
            look(lost, left);
        }
    }

    private void giveBack(Case lost, Left left, Row row) {
        rows.write(left.deviceId(), row.released(), row.revision()).whenComplete((written, failure) -> {
            synchronized (this) {
                if (written == null) {
                    again(lost, row, left);
                } else if (written) {
                    told(lost, left);
                } else {
                    look(lost, left); // the write may have come twice, and this be the answer to the second
                }
            }
        });
    }

    private void look(Case lost, Left left) {
        rows.readLatest(left.deviceId()).whenComplete((row, failure) -> {
            synchronized (this) {
                found(lost, left, row);
            }
        });
    }

    /** What became of a row, after the answer to its release was lost. */
    private void found(Case lost, Left left, @Nullable Row row) {
        boolean same = row != null
                && lost.node.equals(row.node())
                && row.sessionId() == left.row().sessionId()
                && row.epoch() == left.row().epoch();
        if (row == null) {
            again(lost, left.row(), left);
        } else if (!same || (row.held() && row.revision() != left.row().revision())) {
            skipped(lost); // written since: by the node itself, which lives, or it comes with a later page
        } else if (row.held()) {
            giveBack(lost, left, row);
        } else {
            told(lost, left);
        }
    }

    private void again(Case lost, Row row, Left left) {
        lost.underWay--;
        lost.page.add(new Left(left.deviceId(), row, false));
        counts.add(What.LOST_FAILED);
    }

    private void skipped(Case lost) {
        lost.underWay--;
        counts.add(What.LOST_SKIPPED);
    }

    private void told(Case lost, Left left) {
        lost.underWay--;
        lost.released++;
        counts.add(What.LOST_RELEASED);
        boolean ended = lost.mine != null && NodeRow.hasEnded(lost.mine, lost.node);
        sink.publish(
                event(left.deviceId(), left.row(), lost.node, ended ? CloseReason.NODE_ENDED : CloseReason.NODE_LOST));
    }

    /** Tells the end of a connection whose row has just been written over by this gateway, for one that did not come to be. */
    void untold(byte[] deviceId, Row row) {
        NodeId node = row.node();
        if (node != null) {
            sink.publish(event(deviceId, row, node, CloseReason.NODE_LOST));
        }
    }

    private ConnectionEvent.NodeLost event(byte[] deviceId, Row row, NodeId node, CloseReason reason) {
        return new ConnectionEvent.NodeLost(
                new ConnectionEvent.Identity(
                        new String(deviceId, StandardCharsets.UTF_8), row.sessionId(), row.epoch()),
                wallMillis.getAsLong(),
                node.name(),
                node.incarnation(),
                reason);
    }
}
