package io.heartwheel.admin;

import io.heartwheel.admin.RowChanges.Step;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.schedule.KeptSchedule;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleRows;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules of a fleet: a {@link Row} each, read otherwise, changed by compare-and-set alone. Each gateway has a copy of all without their messages.
 *
 * <pre>
 *   node      who runs it
 *   session   0 it waits | n + 1 run n has begun | -1 its gateway ends and has given it back
 *   epoch     grows with each write
 *   held      false: it is deleted, or over, session is its generation; purged a minute later, when all have seen it
 *   more      {@link KeptSchedule}
 *
 *   PUT     anybody       --&gt;  mine, waits
 *   begin   mine          --&gt;  mine, run n has begun; only then the message is sent
 *   move    mine          --&gt;  mine, waits for its next time; or over
 *   take    waits, or its gateway is gone, or given back  --&gt;  mine, waits
 * </pre>
 *
 * Whoever takes a row from a gateway that is gone runs what had begun there again, under the same id. A gateway that was wrongly taken for gone finds another's
 * row where it would begin, and leaves it.
 *
 * <p>Schedules' thread.
 */
public final class FleetRows implements ScheduleRows {
    private static final Logger LOG = LoggerFactory.getLogger(FleetRows.class);

    /** Rows with their messages. */
    private static final int PAGE = 256;
    /** Of a row beside {@code more}: names, and what NATS puts before it. */
    private static final int OVERHEAD_BYTES = 512;

    private static final int GATEWAYS = 1_024;
    private static final long WAITS = 0;
    private static final long GIVEN_BACK = -1;
    /** Nobody is taken for gone within this. */
    private static final long SURE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final long PURGE_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Rows that are purged at once. */
    private static final int PURGES = 16;
    /** Rows that are told as unreadable, each in its revision; others are not told. */
    private static final int MOST_TOLD = 1_024;

    /**
     * What is known of a row.
     *
     * @param waiting its time by the clock of its owner
     */
    record Copy(ScheduleRows.Waiting waiting, NodeId owner, long session, long epoch) {
        boolean isGivenBack() {
            return session == GIVEN_BACK;
        }

        boolean hasBegun() {
            return session > WAITS;
        }
    }

    /** A row that is deleted. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Over(byte[] id, NodeId by, long revision, long atNanos) {}

    private final Fleet fleet;
    private final RowStore rows;
    private final RowChanges changes;
    private final Executor thread;
    private ScheduleLimits limits;

    private final NavigableMap<String, Copy> copies = new TreeMap<>();
    private final Map<NodeId, NodeId> owners = new HashMap<>();
    private long bytes;
    /** This gateway's; and those of others that were found when all was read, as they may be gone. */
    private final Queue<Over> over = new ArrayDeque<>();

    private int purges;
    private long stepsMillis;
    private boolean ends;

    /** Rows that are told as such, and in which revision. */
    private final Map<String, Long> unreadable = new HashMap<>();

    private boolean foreignTold;
    private final RowReader<String> reader;

    /** @param thread of the schedules */
    public FleetRows(Fleet fleet, Executor thread, ScheduleLimits limits) {
        this.fleet = fleet;
        rows = fleet.schedules();
        this.thread = thread;
        this.limits = limits;
        changes = new RowChanges(rows, thread, this::learn, this::written);
        reader = new RowReader<>(rows, thread, PAGE, this::begins, this::learn, this::lost);
    }

    /** All rows are read again, as they may be others than before. */
    void fromTheBeginning() {
        reader.fromTheBeginning();
    }

    private Set<String> begins() {
        over.clear();
        return new HashSet<>(copies.keySet());
    }

    /** Other limits for what comes. */
    void reconfigure(ScheduleLimits fresh) {
        limits = fresh;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public @Nullable Runner runner(String key) {
        Copy copy = copies.get(key);
        return copy == null ? null : new Runner(copy.owner.name(), copy.hasBegun());
    }

    /** That of another gateway that counts alike is another. */
    @Override
    public long generation(long counted) {
        return counted * GATEWAYS + Math.floorMod(fleet.node().hashCode(), GATEWAYS);
    }

    /** What is this gateway's is taken up when it is known who is there. */
    @Override
    public CompletableFuture<Kept> load() {
        return CompletableFuture.completedFuture(new Kept(0, List.of()));
    }

    @Override
    public CompletableFuture<?> putSteps(long millis) {
        stepsMillis = millis;
        return CompletableFuture.completedFuture(null);
    }

    // ------------------------------------------------------------------ one row

    private Row next(Row before, long session, byte[] more) {
        return new Row(fleet.node(), session, before.epoch() + 1, true, 0, more);
    }

    /** The session of one that waits: others may run it if this gateway ends. */
    private long waits() {
        return ends ? GIVEN_BACK : WAITS;
    }

    private Row none(Row before, @Nullable KeptSchedule over) {
        long generation = over == null ? 0 : over.row().generation();
        return new Row(fleet.node(), generation, before.epoch() + 1, false, 0);
    }

    private boolean isMine(Row row) {
        return row.held() && fleet.node().equals(row.node()) && row.sessionId() != GIVEN_BACK;
    }

    /** Null if there is none, or it cannot be read. */
    private static @Nullable KeptSchedule kept(String key, Row row) {
        return row.held() ? KeptSchedule.decode(key, row.more()) : null;
    }

    /** The same by this gateway's clock. */
    private @Nullable KeptSchedule here(String key, Row row) {
        KeptSchedule kept = kept(key, row);
        return kept == null || fleet.node().equals(row.node()) ? kept : kept.by(stepsMillis);
    }

    private void written(String key, Row row) {
        learn(key, row);
        if (row.sessionId() == GIVEN_BACK) {
            fleet.count(What.SCHEDULE_LEFT);
        }
    }

    // ------------------------------------------------------------------ as the schedules ask

    @Override
    public CompletableFuture<Boolean> put(ScheduleRow row) {
        byte[] more = new KeptSchedule(row, stepsMillis).encode();
        String why = refusal(row);
        if (why != null) {
            return CompletableFuture.failedFuture(new PutResult.NotTaken(PutResult.Cause.FULL, why));
        }
        if (!fits(more)) {
            return CompletableFuture.failedFuture(new PutResult.NotTaken(
                    PutResult.Cause.TOO_LARGE,
                    "a row of " + (more.length + OVERHEAD_BYTES) + " bytes, and max_payload of NATS is "
                            + fleet.maxMessageBytes()));
        }
        return changes.change(row.key(), before -> {
            KeptSchedule there = kept(row.key(), before);
            if (there != null && there.row().generation() == row.generation()) {
                throw new IllegalStateException("another gateway has put it at the same moment");
            }
            return new Step<>(fresh(before, row.generation(), more), before.held());
        });
    }

    private @Nullable String refusal(ScheduleRow row) {
        Copy there = copies.get(row.key());
        int others = copies.size() - (there == null ? 0 : 1);
        long taken = bytes - (there == null ? 0 : there.waiting.bytes());
        return limits.refusal(others, taken, row.bytes(), true);
    }

    private boolean fits(byte[] more) {
        return more.length + OVERHEAD_BYTES <= fleet.maxMessageBytes();
    }

    /** Behind a row that was purged too. */
    private Row fresh(Row before, long generation, byte[] more) {
        return new Row(fleet.node(), waits(), Math.max(before.epoch() + 1, generation), true, 0, more);
    }

    @Override
    public CompletableFuture<List<Move>> move(List<Move> moves) {
        return changes.failed(moves, move -> changes.change(move.key(), row -> new Step<>(moved(row, move), true)));
    }

    /** Null: it stays. */
    private @Nullable Row moved(Row row, Move move) {
        KeptSchedule kept = mine(move.key(), move.generation(), row);
        if (kept == null || row.sessionId() == 1 + move.progress().run()) { // the next run has begun already
            return null;
        }
        if (move.progress().left() == 0) {
            return none(row, kept);
        }
        KeptSchedule next = new KeptSchedule(kept.with(move.progress()).row(), stepsMillis);
        return next(row, waits(), next.encode());
    }

    @Override
    public CompletableFuture<Boolean> delete(String key) {
        return changes.change(key, row -> new Step<>(row.held() ? none(row, kept(key, row)) : null, row.held()));
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> read(List<String> keys) {
        return changes.look(keys, this::row);
    }

    private Optional<ScheduleRow> row(String key, Row row) {
        KeptSchedule kept = here(key, row);
        if (kept == null && row.held()) {
            throw new IllegalStateException(
                    "the row of this key is of a later release, or damaged; DELETE removes it, PUT takes its place");
        }
        return Optional.ofNullable(kept).map(KeptSchedule::row);
    }

    /** Only what NATS has acknowledged a moment ago as begun here begins. */
    @Override
    public CompletableFuture<List<ScheduleRow>> begin(List<Begin> runs) {
        long sinceNanos = fleet.nowNanos();
        return mayBegin(sinceNanos)
                ? changes.each(runs, this::begin).thenApply(begun -> {
                    if (!mayBegin(sinceNanos)) {
                        throw new IllegalStateException("it took too long to say that they begin");
                    }
                    return begun;
                })
                : CompletableFuture.failedFuture(new EngineException(Kind.UNREACHABLE, Fleet.NOT_SURE));
    }

    private boolean mayBegin(long sinceNanos) {
        return !ends && fleet.isReachable() && fleet.isSure() && fleet.nowNanos() - sinceNanos < SURE_NANOS;
    }

    private CompletableFuture<Optional<ScheduleRow>> begin(Begin run) {
        return changes.change(run.key(), row -> {
            KeptSchedule kept = mine(run.key(), run.generation(), row);
            if (kept == null) {
                return new Step<>(null, Optional.empty());
            }
            KeptSchedule now = run.unwritten() == null
                    ? kept
                    : new KeptSchedule(kept.with(run.unwritten()).row(), stepsMillis);
            return new Step<>(next(row, 1 + now.row().progress().run(), now.encode()), Optional.of(now.row()));
        });
    }

    private @Nullable KeptSchedule mine(String key, long generation, Row row) {
        KeptSchedule kept = isMine(row) ? kept(key, row) : null;
        return kept == null || kept.row().generation() != generation ? null : kept;
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit) {
        return refresh().thenComposeAsync(done -> pageOfCopy(after, prefix, limit), thread);
    }

    private CompletableFuture<List<ScheduleRow>> pageOfCopy(String after, String prefix, int limit) {
        NavigableMap<String, Copy> behind =
                after.compareTo(prefix) < 0 ? copies.tailMap(prefix, true) : copies.tailMap(after, false);
        List<String> keys = behind.keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .limit(limit)
                .toList();
        return changes.look(
                        keys, (key, row) -> Optional.ofNullable(here(key, row)).map(KeptSchedule::withoutPayload))
                .thenComposeAsync(
                        found -> {
                            int missing = limit - found.size();
                            return keys.size() < limit || missing == 0 // else some were gone
                                    ? CompletableFuture.completedFuture(found)
                                    : pageOfCopy(keys.get(limit - 1), prefix, missing)
                                            .thenApply(more -> Stream.concat(found.stream(), more.stream())
                                                    .toList());
                        },
                        thread);
    }

    // ------------------------------------------------------------------ whose they are

    /** What is known of all rows behind this key, in the order of keys. */
    Collection<Map.Entry<String, Copy>> behind(String key) {
        return copies.tailMap(key, false).entrySet();
    }

    RowChanges changes() {
        return changes;
    }

    /** Whether this gateway runs it, as far as is known. */
    boolean isMine(String key) {
        Copy copy = copies.get(key);
        return copy != null && copy.owner.equals(fleet.node()) && !copy.isGivenBack();
    }

    /**
     * Makes a row this gateway's.
     *
     * @param isToTake asked again, of the row as it is when it is written
     * @return its time; empty if it is over, or is not to be taken any more
     */
    CompletableFuture<Optional<Waiting>> take(String key, Predicate<Copy> isToTake) {
        return changes.change(key, row -> {
            NodeId owner = row.node();
            KeptSchedule here = here(key, row);
            if (here == null || owner == null) {
                return new Step<>(null, Optional.empty());
            }
            Copy now = new Copy(here.waiting(), owner, row.sessionId(), row.epoch());
            boolean mine = isMine(row);
            boolean takes = !mine && !ends && isToTake.test(now);
            return new Step<>(
                    takes ? next(row, WAITS, here.encode()) : null,
                    takes || mine ? Optional.of(now.waiting()) : Optional.empty());
        });
    }

    /**
     * Makes one that this gateway has kept alone a row.
     *
     * @return whether it is a row, or was one; false: another has its key, or there is no room
     */
    CompletableFuture<Boolean> adopt(KeptSchedule alone) {
        KeptSchedule kept = alone.by(stepsMillis);
        byte[] more = kept.encode();
        ScheduleRow mine = kept.row();
        if (!fits(more)) {
            return CompletableFuture.completedFuture(false);
        }
        return changes.change(mine.key(), row -> {
            KeptSchedule there = kept(mine.key(), row);
            long generation = there == null
                    ? row.held() ? 0 : row.sessionId()
                    : there.row().generation();
            boolean same = generation == mine.generation();
            return same || row.held() || refusal(mine) != null
                    ? new Step<>(null, same)
                    : new Step<>(fresh(row, mine.generation(), more), true);
        });
    }

    /** This gateway ends: others may run what waits here, the soonest first. What has begun is given back when it is over. */
    CompletableFuture<?> giveBack(Predicate<String> isBusy) {
        ends = true;
        return giveBack(
                copies.entrySet().stream()
                        .filter(each -> isMine(each.getKey()))
                        .sorted(Comparator.comparingLong(
                                each -> each.getValue().waiting.dueMillis()))
                        .map(Map.Entry::getKey)
                        .toList(),
                isBusy);
    }

    /**
     * Others may run these, as far as they wait here.
     *
     * @param isBusy whether a run that has begun is under way; of another nothing was sent, and it is given back too
     */
    CompletableFuture<?> giveBack(List<String> keys, Predicate<String> isBusy) {
        return changes.failed(
                        keys,
                        key -> changes.change(key, row -> {
                            boolean waits = isMine(row) && (row.sessionId() == WAITS || !isBusy.test(key));
                            return new Step<>(waits ? next(row, GIVEN_BACK, row.more()) : null, true);
                        }))
                .thenAccept(left -> {
                    if (!left.isEmpty()) {
                        LOG.info("cluster: {} schedules could not be given back", left.size());
                    }
                });
    }

    // ------------------------------------------------------------------ the copy

    /** Brings the copy up to what NATS has now; fails if it cannot be asked. */
    CompletableFuture<Boolean> refresh() {
        return reader.refresh();
    }

    /** What no page had is gone if its latest row says so: pages may lag. */
    private CompletionStage<?> lost(List<String> keys) {
        return changes.look(keys, (key, row) -> row.held() ? Optional.of(key) : Optional.<String>empty())
                .thenAccept(there -> {
                    if (there.size() < keys.size()) {
                        int gone = keys.size() - there.size();
                        LOG.info("cluster: {} schedules are over, or their rows are gone", gone);
                    }
                });
    }

    private String learn(RowStore.Entry entry) {
        Row row = entry.row();
        NodeId by = row.node();
        String key = new String(entry.deviceId(), StandardCharsets.UTF_8);
        if (!ScheduleEndpoints.KEYS.matcher(key).matches()) {
            if (!foreignTold && !key.isEmpty()) { // of an empty one the store has told
                foreignTold = true;
                LOG.warn(
                        "cluster: key {} in the bucket of schedules is none of a gateway, and is left alone",
                        key.replaceAll("[^!-~]", "?"));
            }
            return key;
        }
        Copy known = copies.get(key);
        if (by != null && (known == null || known.epoch <= row.epoch())) { // else this gateway has written it since
            learn(key, row);
        }
        if (by != null && !row.held() && (reader.readsAll() || by.equals(fleet.node()))) {
            over.add(new Over(entry.deviceId(), by, row.revision(), fleet.nowNanos()));
        }
        return key;
    }

    private void learn(String key, Row row) {
        KeptSchedule kept = kept(key, row);
        NodeId owner = row.node();
        if (kept != null || !row.held()) {
            unreadable.remove(key);
        } else if (isToTell(key, row.revision())) {
            LOG.warn("schedule {} is of a later release, or damaged: this gateway does not run it", key);
        }
        if (kept == null || owner == null) {
            know(key, null);
        } else {
            NodeId one = owners.computeIfAbsent(owner, same -> same);
            know(key, new Copy(kept.waiting(), one, row.sessionId(), row.epoch()));
        }
    }

    /** Whether this revision of a row that cannot be read is not told yet. */
    private boolean isToTell(String key, long revision) {
        boolean room = unreadable.size() < MOST_TOLD || unreadable.containsKey(key);
        return room && !Objects.equals(unreadable.put(key, revision), revision);
    }

    private void know(String key, @Nullable Copy now) {
        reader.saw(key);
        Copy before = now == null ? copies.remove(key) : copies.put(key, now);
        bytes += (now == null ? 0 : now.waiting.bytes()) - (before == null ? 0 : before.waiting.bytes());
    }

    /** Removes what is over, and was for long enough. */
    void purge() {
        List<NodeId> there = fleet.heard();
        while (purges < PURGES && !there.isEmpty() && !over.isEmpty() && isSeenByAll(over.element())) {
            Over next = over.remove();
            if (next.by.equals(fleet.node()) || fleet.isGone(next.by)) {
                purges++;
                rows.purge(next.id, next.revision)
                        .whenCompleteAsync(
                                (done, failure) -> {
                                    purges--;
                                    if (failure != null) {
                                        purgeLater(next);
                                    }
                                    purge();
                                },
                                thread);
            } else if (!there.contains(next.by)) { // else it does so itself
                purgeLater(next);
            }
        }
    }

    private boolean isSeenByAll(Over row) {
        return fleet.nowNanos() - row.atNanos >= PURGE_NANOS;
    }

    private void purgeLater(Over row) {
        over.add(new Over(row.id, row.by, row.revision, fleet.nowNanos()));
    }
}
