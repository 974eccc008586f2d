package io.heartwheel.admin;

import io.heartwheel.admin.RowChanges.Step;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.MemberRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.group.GroupMembers;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
 * <p>Any thread; nothing blocks.
 */
public final class FleetMembers {
    private static final Logger LOG = LoggerFactory.getLogger(FleetMembers.class);

    private static final int PAGE = 5_000;
    /** No job waits longer for the copy. */
    private static final long PATIENCE_MILLIS = 2_000;

    private final Fleet fleet;
    private final RowStore rows;
    private final GroupMembers copy;
    private final RowChanges changes;
    private final RowReader<String> reader;

    /** @param copy of this gateway, which nobody else changes from now on */
    public FleetMembers(Fleet fleet, GroupMembers copy) {
        this.fleet = fleet;
        rows = fleet.members();
        this.copy = copy;
        changes = new RowChanges(rows, Runnable::run, this::follow, this::follow);
        reader = new RowReader<>(rows, Runnable::run, PAGE, this::all, this::learn, this::tell);
        fleet.onBack(reader::fromTheBeginning);
    }

    private Set<String> all() {
        Set<String> all = new HashSet<>();
        copy.all().forEach((group, devices) -> devices.forEach(device -> all.add(new MemberRow(group, device).key())));
        return all;
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
        return change(new MemberRow(group, deviceId), true);
    }

    /** The device is no member any more; likewise. */
    CompletionStage<Boolean> remove(String group, String deviceId) {
        return change(new MemberRow(group, deviceId), false);
    }

    private CompletionStage<Boolean> change(MemberRow member, boolean wanted) {
        return changes.attempt(
                member.key(),
                row -> {
                    boolean is = row.node() == null ? copy.has(member.group(), member.deviceId()) : row.held();
                    boolean stays = is == wanted && (row.node() != null || !wanted);
                    return new Step<>(stays ? null : MemberRow.next(row, fleet.node(), wanted), is != wanted);
                },
                RowChanges.TRIES);
    }

    private void follow(String key, Row row) {
        MemberRow member = MemberRow.of(key);
        copy.follow(member.group(), member.deviceId(), row.held());
    }

    // ------------------------------------------------------------------ the copy

    /** Brings the copy up to what NATS has now. Whether it is; within 2 s, and it never fails. */
    public CompletionStage<Boolean> refresh() {
        return fleet.isReachable()
                ? reader.refresh()
                        .exceptionally(failure -> false)
                        .completeOnTimeout(false, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                : CompletableFuture.completedFuture(false);
    }

    private String learn(RowStore.Entry entry) {
        String key = new String(entry.deviceId(), StandardCharsets.UTF_8);
        if (entry.row().node() != null) { // else it is damaged, and says nothing
            follow(key, entry.row());
        }
        return key;
    }

    /** What was made before the gateway belonged to the fleet, or before the rows were lost, becomes rows. */
    private CompletionStage<?> tell(List<String> without) {
        if (!without.isEmpty()) {
            LOG.info(
                    "cluster: {} members of groups that only this gateway knows are told to the others",
                    without.size());
        }
        write(without.iterator());
        return CompletableFuture.completedFuture(true);
    }

    /** One after the other; if NATS is away all is looked at again when it is back. */
    private void write(Iterator<String> members) {
        while (members.hasNext()) {
            String key = members.next();
            MemberRow next = MemberRow.of(key);
            if (copy.has(next.group(), next.deviceId())) {
                rows.write(key.getBytes(StandardCharsets.UTF_8), MemberRow.next(Row.NONE, fleet.node(), true), 0)
                        .whenComplete((written, failure) -> {
                            if (failure == null) {
                                write(members);
                            } else {
                                reader.fromTheBeginning();
                            }
                        });
                return;
            }
        }
    }
}
