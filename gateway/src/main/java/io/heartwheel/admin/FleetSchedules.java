package io.heartwheel.admin;

import io.heartwheel.admin.FleetRows.Copy;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.schedule.KeptSchedule;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleRows;
import io.heartwheel.push.schedule.ScheduleRows.Waiting;
import io.heartwheel.push.schedule.Schedules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owners of a fleet's schedules: each is run by the gateway that a rendezvous hash of its key names (Thaler and Ravishankar 1998), among those that are not gone.
 *
 * <pre>
 *   every second   other gateways than before, or 10 s later --&gt; the copy is brought up to date, then all rows are looked at:
 *
 *   mine                         entered in the wheel here
 *   another's that is there      taken if the hash names this gateway and no run has begun
 *   another's that is gone,      taken by the gateway that the hash names; after 5 s by the next one, and so on
 *   or given back
 * </pre>
 *
 * A row stays its owner's until another has written itself, so a gateway that the hash names and that does not run schedules keeps none from running. Looks at rows are done in
 * slices, between what is due.
 *
 * <p>{@link #turn}, {@link #reconfigure}, {@link #close}: any thread; all else is the schedules' thread.
 */
public final class FleetSchedules implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FleetSchedules.class);

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Each gateway behind the one that the hash names waits so much longer for it. */
    private static final long NEXT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int LOOKS = 5_000;
    /** Rows that are taken between two looks at all. */
    private static final int TAKES = 10_000;

    private static final int READS = 64;
    private static final long GIVE_BACK_MILLIS = 1_000;
    private static final int MOST_NAMED = 10;
    private static final long FNV_PRIME = 0x100_0000_01B3L;

    private final Fleet fleet;
    private final FleetRows rows;
    private final Schedules schedules;
    private final Executor thread;
    /** What this gateway kept before it belonged to the fleet; null: nothing. */
    private final @Nullable ScheduleRows before;

    // ---- schedules' thread
    private List<NodeId> there = List.of();
    private List<NodeId> runners = List.of();
    private long lookedNanos;
    private boolean looks;
    private boolean ends;
    /** Something was left for the next second. */
    private boolean again = true;

    /** Since when owners that are gone, or have given back, are known as such. */
    private Map<NodeId, Long> freeSince = new HashMap<>();

    private Map<NodeId, Long> freeBefore = new HashMap<>();
    /** What is due first is taken first. */
    private final NavigableSet<Waiting> toTake =
            new TreeSet<>(Comparator.comparingLong(Waiting::dueMillis).thenComparing(Waiting::key));

    /** This gateway's, which it cannot run. */
    private final List<String> withoutRoom = new ArrayList<>();

    private boolean adopts;
    private boolean lateTold;

    /**
     * Schedules over these rows.
     *
     * @param thread of the schedules
     * @param before what this gateway kept when it was alone: becomes rows of the fleet
     */
    public FleetSchedules(
            Fleet fleet, FleetRows rows, Schedules schedules, Executor thread, @Nullable ScheduleRows before) {
        this.fleet = fleet;
        this.rows = rows;
        this.schedules = schedules;
        this.thread = thread;
        this.before = before;
        fleet.onBack(() -> onThread(rows::fromTheBeginning));
    }

    /** Other limits for what comes. */
    public void reconfigure(ScheduleLimits fresh) {
        onThread(() -> rows.reconfigure(fresh));
    }

    /** To be called about once a second. */
    public void turn() {
        onThread(this::turnNow);
    }

    private void turnNow() {
        rows.purge();
        if (looks || ends || !fleet.knowsHolders() || !fleet.isSure()) {
            return;
        }
        List<NodeId> nowRunners = fleet.holders().stream()
                .map(NodeStatus::node)
                .filter(node -> !fleet.isGone(node))
                .toList();
        List<NodeId> nowThere = fleet.heard();
        boolean same = nowRunners.equals(runners) && nowThere.equals(there);
        if (same && !again && fleet.nowNanos() - lookedNanos < REFRESH_NANOS) {
            return;
        }
        looks = true;
        rows.refresh()
                .thenComposeAsync(
                        done -> {
                            runners = nowRunners;
                            there = nowThere;
                            lookedNanos = fleet.nowNanos();
                            beginLooks();
                            return look("");
                        },
                        thread)
                .thenComposeAsync(done -> takeNext(0), thread)
                .whenCompleteAsync(this::endLooks, thread);
    }

    // ------------------------------------------------------------------ looks

    private void beginLooks() {
        again = false;
        withoutRoom.clear();
        toTake.clear();
        freeBefore = freeSince;
        freeSince = new HashMap<>();
    }

    private CompletableFuture<?> look(String after) {
        int looked = 0;
        String last = after;
        for (Map.Entry<String, Copy> each : rows.behind(after)) {
            if (looked++ == LOOKS) {
                String from = last;
                return CompletableFuture.supplyAsync(() -> look(from), thread).thenCompose(rest -> rest);
            }
            last = each.getKey();
            look(last, each.getValue());
        }
        schedules.retain(rows::isMine);
        if (!withoutRoom.isEmpty()) {
            LOG.warn("cluster: the wheel has no room for {} schedules: they are given back", withoutRoom.size());
            rows.giveBack(List.copyOf(withoutRoom), key -> true);
            again = true;
        }
        return CompletableFuture.completedFuture(true);
    }

    private void look(String key, Copy row) {
        if (rows.changes().isUnderWay(key)) {
            again |= !rows.isMine(key); // its own are in the wheel, or about to be
        } else if (rows.isMine(key)) {
            if (!schedules.take(row.waiting())) {
                withoutRoom.add(key);
            }
        } else if (isToTake(row)) {
            toTake.add(row.waiting());
            if (toTake.size() > TAKES) {
                toTake.pollLast();
                again = true;
            }
        }
    }

    private void endLooks(@Nullable Integer taken, @Nullable Throwable failure) {
        looks = false;
        if (ends) {
            rows.giveBack(schedules::has); // what was taken meanwhile too
        } else if (taken != null) {
            adopt();
        }
        if (taken == null) {
            again = true;
            if (failure == null || !(failure.getCause() instanceof EngineException)) {
                LOG.error("cluster: a look at schedules failed; the next follows", failure);
            }
        } else if (taken > 0) {
            LOG.info("cluster: {} schedules of other gateways are run here from now on", taken);
        }
        if (taken != null && !toTake.isEmpty()) {
            LOG.warn(
                    "cluster: {} schedules are left to other gateways: messages.schedules.max = {}: this one runs as many",
                    toTake.size(),
                    schedules.limits().max());
        }
    }

    private boolean isToTake(Copy row) {
        if (ends) {
            return false;
        }
        NodeId owner = row.owner();
        boolean free = row.isGivenBack() || fleet.isGone(owner);
        boolean hadNoRoom = free && owner.equals(fleet.node());
        int rank = hadNoRoom ? runners.size() : rank(row.waiting().key(), owner, !free);
        if (!free) {
            return rank == 0 && !row.hasBegun();
        }
        long nowNanos = fleet.nowNanos();
        long sinceNanos = freeSince.computeIfAbsent(owner, one -> freeBefore.getOrDefault(one, nowNanos));
        boolean mine = nowNanos - sinceNanos >= rank * NEXT_NANOS;
        again |= !mine;
        return mine;
    }

    /** How many of the others come before this gateway; the owner perhaps, whether it was heard of or not. */
    private int rank(String key, NodeId owner, boolean ownerToo) {
        int rank = ownerToo && isBefore(owner, fleet.node(), key) ? 1 : 0;
        for (NodeId each : runners) {
            rank += !each.equals(owner) && isBefore(each, fleet.node(), key) ? 1 : 0;
        }
        return rank;
    }

    /** Whether a gateway has a key rather than another; of two starts of one name the later one. */
    static boolean isBefore(NodeId one, NodeId other, String key) {
        int order = Long.compare(weight(one.name(), key), weight(other.name(), key));
        return order > 0 || (order == 0 && one.incarnation() > other.incarnation());
    }

    private static long weight(String node, String key) {
        long hash = 0;
        for (char each : (node + '\0' + key).toCharArray()) {
            hash = (hash ^ each) * FNV_PRIME;
        }
        return new SplittableRandom(hash).nextLong();
    }

    /** As long as there is room; what is left then is another's to take. */
    private CompletableFuture<Integer> takeNext(int takenBefore) {
        List<String> part = new ArrayList<>();
        int most = Math.min(READS, schedules.limits().max() - schedules.size()); // so many have room in the wheel
        while (part.size() < most && !toTake.isEmpty()) {
            part.add(Objects.requireNonNull(toTake.pollFirst()).key());
        }
        return part.isEmpty()
                ? CompletableFuture.completedFuture(takenBefore)
                : rows.changes().each(part, this::take).thenCompose(taken -> {
                    for (Waiting each : taken) {
                        fleet.count(What.SCHEDULE_TAKEN);
                        again |= !schedules.take(each);
                    }
                    return takeNext(takenBefore + taken.size());
                });
    }

    private CompletableFuture<Optional<Waiting>> take(String key) {
        return rows.take(key, this::isToTake).exceptionally(failure -> {
            again = true;
            return Optional.empty();
        });
    }

    // ------------------------------------------------------------------ before and after the fleet

    /** What this gateway kept when it was alone is moved, once. What has the key of another, or no room, stays where it is, and is not run. */
    private void adopt() {
        ScheduleRows alone = before;
        if (alone == null || adopts) {
            return;
        }
        adopts = true;
        List<String> left = new ArrayList<>();
        alone.load()
                .thenComposeAsync(
                        kept -> rows.changes()
                                .each(kept.schedules(), each -> adopt(alone, kept.stepsMillis(), each.key(), left)
                                        .handle((done, failure) -> Optional.ofNullable(failure))),
                        thread)
                .whenCompleteAsync(
                        (failures, failure) -> {
                            if (failures == null || !failures.isEmpty()) {
                                adopts = false;
                                if (!lateTold) {
                                    lateTold = true;
                                    LOG.warn(
                                            "cluster: schedules in messages.db are moved to the fleet later",
                                            failures == null ? failure : failures.get(0));
                                }
                            } else if (!left.isEmpty()) {
                                LOG.warn(
                                        "cluster: {} schedules in messages.db are not run, as the fleet has others of their keys or no room: {}",
                                        left.size(),
                                        left.subList(0, Math.min(left.size(), MOST_NAMED)));
                            }
                        },
                        thread);
    }

    /** @param left those that stay */
    private CompletableFuture<?> adopt(ScheduleRows alone, long steps, String key, List<String> left) {
        if (ends) {
            return CompletableFuture.completedFuture(true);
        }
        return alone.read(List.of(key))
                .thenComposeAsync(
                        found -> found.isEmpty()
                                ? CompletableFuture.completedFuture(true)
                                : adopt(alone, new KeptSchedule(found.get(0), steps)),
                        thread)
                .thenAccept(moved -> {
                    if (!moved) {
                        left.add(key);
                    }
                });
    }

    private CompletableFuture<Boolean> adopt(ScheduleRows alone, KeptSchedule kept) {
        ScheduleRow row = kept.row();
        return rows.adopt(kept).thenCompose(isRow -> {
            if (!isRow) {
                return CompletableFuture.completedFuture(false);
            }
            again = true; // it comes into the wheel with the next look
            return alone.move(List.of(new ScheduleRows.Move(
                            row.key(), row.generation(), row.progress().over())))
                    .thenApply(done -> true);
        });
    }

    /** Gives back what waits here, for a second at most, and tells the others. The schedules are closed before. */
    @Override
    public void close() {
        try {
            giveBack().get(GIVE_BACK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException late) {
            LOG.debug("cluster: schedules are not all given back", late);
        }
    }

    CompletableFuture<?> giveBack() {
        CompletableFuture<@Nullable Void> given = new CompletableFuture<>();
        onThread(() -> {
            ends = true;
            toTake.clear();
            rows.giveBack(schedules::has).whenComplete((done, failure) -> {
                fleet.end();
                given.complete(null);
            });
        });
        return given;
    }

    private void onThread(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException ended) {
            LOG.debug("schedules have ended", ended);
        }
    }
}
