package io.heartwheel.admin;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.MemberRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.group.GroupMembers;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Devices that the API put into groups, for all gateways: a row each ({@link MemberRow}), of which every gateway has a copy.
 *
 * <pre>
 *   PUT, DELETE --compare-and-set--&gt; row --answered when NATS has it; the copy here follows
 *   refresh     --pages behind the latest revision that the copy has--&gt; copy: before each job, each list, and every 10 s
 *   first refresh, when NATS was away, and when the rows are others: all of them; what the copy has and no row says is written as a row
 * </pre>
 *
 * <p>Any thread; nothing blocks. Guarded by this, for some steps.
 */
public final class FleetMembers {
    private static final Logger LOG = LoggerFactory.getLogger(FleetMembers.class);

    private static final int PAGE = 5_000;
    /** A row that others write at the same time is read again so often. */
    private static final int TRIES = 16;
    /** No job waits longer for the copy. */
    private static final long PATIENCE_MILLIS = 2_000;

    private final Fleet fleet;
    private final RowStore rows;
    private final GroupMembers copy;

    // ---- guarded by this
    private CompletableFuture<Boolean> latest = CompletableFuture.completedFuture(true);
    private boolean latestBegun = true;
    private long after;
    /** When the store of these rows was made. */
    private long madeMillis;
    /** Memberships of the copy of which no row was seen yet; null: all rows were seen. */
    private @Nullable Set<MemberRow> unseen;

    /** @param copy of this gateway, which nobody else changes from now on */
    public FleetMembers(Fleet fleet, GroupMembers copy) {
        this.fleet = fleet;
        rows = fleet.members();
        this.copy = copy;
        fromTheBeginning();
        fleet.onBack(this::fromTheBeginning);
    }

    private void fromTheBeginning() {
        Set<MemberRow> all = new HashSet<>();
        copy.all().forEach((group, devices) -> devices.forEach(device -> all.add(new MemberRow(group, device))));
        synchronized (this) {
            after = 0;
            unseen = all;
        }
    }

    // ------------------------------------------------------------------ changes

    /**
     * Makes a device a member.
     *
     * @return whether it was none; an {@link EngineException} as the cause: nobody knows whether it is
     * @throws RejectedExecutionException as {@link GroupMembers#add}
     */
    CompletionStage<Boolean> add(String group, String deviceId) {
        copy.requireRoom(group, deviceId);
        return change(new MemberRow(group, deviceId), true, TRIES);
    }

    /** The device is no member any more; likewise. */
    CompletionStage<Boolean> remove(String group, String deviceId) {
        return change(new MemberRow(group, deviceId), false, TRIES);
    }

    private CompletionStage<Boolean> change(MemberRow member, boolean wanted, int tries) {
        return rows.readLatest(member.key()).thenCompose(row -> {
            boolean is = row.node() == null ? copy.has(member.group(), member.deviceId()) : row.held();
            if (is == wanted && (row.node() != null || !wanted)) {
                follow(member, wanted);
                return CompletableFuture.completedFuture(false);
            }
            return rows.write(member.key(), MemberRow.next(row, fleet.node(), wanted), row.revision())
                    .thenCompose(written -> {
                        if (written) {
                            follow(member, wanted);
                            return CompletableFuture.completedFuture(is != wanted);
                        }
                        return tries > 1
                                ? change(member, wanted, tries - 1)
                                : CompletableFuture.failedFuture(
                                        new EngineException(Kind.CONTENDED, "others write this row again and again"));
                    });
        });
    }

    private void follow(MemberRow member, boolean is) {
        copy.follow(member.group(), member.deviceId(), is);
    }

    // ------------------------------------------------------------------ the copy

    /** Brings the copy up to what NATS has now. Whether it is; within 2 s, and it never fails. */
    public CompletionStage<Boolean> refresh() {
        CompletableFuture<Boolean> before;
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        synchronized (this) {
            if (!latestBegun) {
                return patiently(latest);
            }
            before = latest;
            latest = mine;
            latestBegun = false;
        }
        before.thenCompose(done -> begin()).whenComplete((done, failure) -> mine.complete(failure == null && done));
        return patiently(mine);
    }

    private static CompletionStage<Boolean> patiently(CompletableFuture<Boolean> refreshed) {
        return refreshed.isDone()
                ? refreshed
                : refreshed.copy().completeOnTimeout(false, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private CompletionStage<Boolean> begin() {
        synchronized (this) {
            latestBegun = true;
        }
        return fleet.isReachable() ? rows.state().thenCompose(this::first) : CompletableFuture.completedFuture(false);
    }

    private CompletionStage<Boolean> first(RowStore.State now) {
        boolean anew;
        synchronized (this) {
            anew = now.isAnother(madeMillis, after);
            madeMillis = now.madeMillis();
        }
        if (anew) {
            fromTheBeginning();
        }
        return page(now.lastRevision());
    }

    /** @param last what is written later is for the next time */
    private CompletionStage<Boolean> page(long last) {
        long behind;
        synchronized (this) {
            behind = after;
        }
        CompletionStage<List<RowStore.Entry>> asked =
                behind < last ? rows.page(false, behind, PAGE) : CompletableFuture.completedFuture(List.of());
        return asked.thenCompose(page -> {
            if (page.isEmpty()) {
                seenAll(behind);
                return CompletableFuture.completedFuture(true);
            }
            take(page, behind);
            return page(last);
        });
    }

    private void take(List<RowStore.Entry> page, long behind) {
        for (RowStore.Entry entry : page) {
            Row row = entry.row();
            MemberRow member = MemberRow.of(entry.deviceId());
            if (row.node() != null) { // else it is damaged, and says nothing
                follow(member, row.held());
            }
            synchronized (this) {
                if (unseen != null) {
                    unseen.remove(member);
                }
            }
        }
        synchronized (this) {
            if (after == behind) { // else it begins anew
                after = page.get(page.size() - 1).row().revision();
            }
        }
    }

    /** What was made before the gateway belonged to the fleet, or before the rows were lost, becomes rows. */
    private void seenAll(long behind) {
        Set<MemberRow> without;
        synchronized (this) {
            if (unseen == null || after != behind) {
                return;
            }
            without = unseen;
            unseen = null;
        }
        if (!without.isEmpty()) {
            LOG.info(
                    "cluster: {} members of groups that only this gateway knows are told to the others",
                    without.size());
        }
        write(without.iterator());
    }

    /** One after the other; if NATS is away all is looked at again when it is back. */
    private void write(Iterator<MemberRow> members) {
        while (members.hasNext()) {
            MemberRow next = members.next();
            if (copy.has(next.group(), next.deviceId())) {
                rows.write(next.key(), MemberRow.next(Row.NONE, fleet.node(), true), 0)
                        .whenComplete((written, failure) -> {
                            if (failure == null) {
                                write(members);
                            } else {
                                fromTheBeginning();
                            }
                        });
                return;
            }
        }
    }
}
