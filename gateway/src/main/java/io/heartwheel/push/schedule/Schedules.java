package io.heartwheel.push.schedule;

import io.heartwheel.push.schedule.PutResult.Cause;
import io.heartwheel.push.schedule.PutResult.Refused;
import io.heartwheel.push.schedule.ScheduleEntry.State;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.store.StoreException;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that are sent later, or again and again, each under a key. Each is an entry of the gateway's wheel, so that what lies days ahead costs nothing until
 * then; its row is read when it is due.
 *
 * <p><b>When.</b> A run begins never before its time, and within about a tick after it. The runs of one schedule never overlap: the next waits until the result
 * of the one before is known. What becomes of times that are missed says {@link RunPlan}. A first time by the wall clock, and the grid behind it, follow that
 * clock when it is set, which is looked at once a second; all other times do not, also over a restart.
 *
 * <p><b>Once.</b> A row is moved after the result, never before: a run that a crash comes between takes place again, under the same id of its message. What
 * cannot be written is written again once a second; meanwhile it goes on in memory.
 *
 * <p><b>In slices.</b> However many are due at once, {@link #MOST_LOOKS} entries are looked at, or {@link #MOST_RUNS} messages read, and then the thread does
 * what else there is: so a hundred thousand that are due in one tick hold neither the wheel nor a request.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Any thread; nothing blocks. All that happens, happens on one thread of its own, the schedules' thread, in the order in which the rows complete: memory
 * follows the rows. The wheel's thread puts what is due into {@code due}, and wakes that thread if {@code woken} was not set (jcstress: {@code
 * DueWhileDrainedRunsStress}).
 */
public final class Schedules implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

    private static final int MOST_LOOKS = 256;
    private static final int MOST_RUNS = 64;
    /** Payloads in memory between rows and target, beside the last. */
    private static final long MOST_BYTES = 1 << 20;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TimingWheel wheel;
    private final ScheduleClock clock;
    private final ScheduleRows rows;
    private final ScheduleTarget target;
    private final Executor thread;
    private final AtomicLong bytes;
    private volatile ScheduleLimits limits;
    private final RunCounts runs = new RunCounts();
    private final Queue<ScheduleEntry> due = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    /** Entries with a place in the wheel; written by the schedules' thread. */
    private volatile int count;

    // ---- schedules' thread
    private final Map<String, ScheduleEntry> entries = new HashMap<>();
    private final Look look = new Look();
    private final ScheduleMoves moves;
    private long lastGeneration;
    private boolean closed;
    private boolean stepUnwritten;
    /** Rows of what is due are on their way. */
    private boolean reading;
    /** Whether it is told that a row cannot be read, since one could. */
    private boolean unreadTold;

    /** Look at the wall clock once a second, while there are schedules, and at what could not be written. */
    private final class Look extends WheelEntry {
        private volatile long nextNanos;
        private boolean armed;

        /** Whole seconds, as others of the process: it wakes once for all. */
        void arm() {
            armed = true;
            long nowNanos = clock.nowNanos();
            nextNanos = nowNanos + SECOND_NANOS - Math.floorMod(nowNanos, SECOND_NANOS);
            wheel.arm(this, nextNanos);
        }

        @Override
        public long deadlineNanos() {
            return nextNanos;
        }

        @Override
        public void expire(long nowNanos) {
            onThread(Schedules.this::everySecond);
        }
    }

    /** A run under way. */
    private record Run(ScheduleEntry entry, ScheduleRow row, RunPlan plan, Progress passed) {}

    /**
     * Schedules that stand still until {@link #start}.
     *
     * @param wheel shared with others; must have room for all
     * @param nanoClock monotonic nanoseconds, the clock that the wheel is turned by
     * @param wallMillis milliseconds since 1970
     * @param target takes the messages
     * @param thread runs one task after the other, in their order; it is not ended here
     * @param bytes what is taken of {@link ScheduleLimits#maxBytes}, by payloads of schedules and by others
     */
    public Schedules(
            TimingWheel wheel,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            ScheduleRows rows,
            ScheduleTarget target,
            Executor thread,
            AtomicLong bytes,
            ScheduleLimits limits) {
        this.wheel = wheel;
        this.rows = rows;
        this.target = target;
        this.thread = thread;
        this.bytes = bytes;
        this.limits = limits;
        clock = new ScheduleClock(nanoClock, wallMillis);
        moves = new ScheduleMoves(rows, thread, this::arm, this::remove);
    }

    /** Other limits for what comes. */
    public void reconfigure(ScheduleLimits fresh) {
        limits = fresh;
    }

    /** What holds now. */
    public ScheduleLimits limits() {
        return limits;
    }

    // ------------------------------------------------------------------ start and end

    /**
     * Takes up what is in the rows. To be waited for before anything is put.
     *
     * @return how many there are; with a failure if they cannot be read, or the wheel has no room
     */
    public CompletableFuture<Integer> start() {
        return call(() -> rows.load().thenApplyAsync(this::begin, thread));
    }

    private int begin(ScheduleRows.Kept kept) {
        wheel.register(look);
        clock.continueFrom(kept.stepsMillis());
        lastGeneration = Math.max(0, clock.wallMillis() * 1_000);
        for (ScheduleRows.Waiting waiting : kept.schedules()) {
            lastGeneration = Math.max(lastGeneration, waiting.generation());
            if (!take(waiting)) {
                throw new IllegalStateException("messages.schedules.max = " + limits.max() + ": need at least "
                        + kept.schedules().size() + ", that many are kept");
            }
        }
        return count;
    }

    /** Begins no more runs. What runs is forgotten when its row is written. */
    @Override
    public void close() {
        onThread(() -> {
            if (!closed) {
                closed = true;
                removeIf(entry -> entry.state == State.WAITING);
                wheel.release(look);
            }
        });
    }

    // ------------------------------------------------------------------ by key

    /**
     * Puts one in the place of what has its key.
     *
     * @param payload nobody changes it
     * @return completes on the schedules' thread, when it is kept
     */
    public CompletableFuture<PutResult> put(String key, ScheduleSpec spec, byte[] payload) {
        return call(() -> putNow(key, spec, payload));
    }

    private CompletableFuture<PutResult> putNow(String key, ScheduleSpec spec, byte[] payload) {
        lookAtClock();
        long nowMillis = clock.wallMillis();
        boolean wall = spec.start() == ScheduleSpec.Start.AT;
        long firstMillis = wall ? spec.firstAt(nowMillis) : clock.steadyMillis() + spec.startMillis();
        String wrongTime = wall ? spec.refusal(firstMillis, nowMillis) : null;
        if (wrongTime != null) {
            return CompletableFuture.completedFuture(new Refused(Cause.TIME, wrongTime));
        }
        ScheduleEntry old = entries.get(key);
        String limit = limits.refusal(
                count - (old == null ? 0 : 1),
                bytes.get() - (old == null ? 0 : old.bytes),
                payload.length,
                rows.isDurable());
        ScheduleRow row = new ScheduleRow(
                key,
                rows.generation(++lastGeneration),
                spec,
                payload,
                payload.length,
                new Progress(0, spec.times(), wall, firstMillis, 0, null));
        ScheduleEntry entry = limit == null
                ? enter(new ScheduleRows.Waiting(key, row.generation(), wall, firstMillis, payload.length))
                : null;
        if (entry == null) {
            String full = limit == null ? "the wheel has no room for one more" : limit;
            return CompletableFuture.completedFuture(new Refused(Cause.FULL, full));
        }
        return rows.put(row)
                .handleAsync(
                        (stored, failure) -> {
                            if (failure != null) {
                                leave(entry);
                                return Refused.of(failure);
                            }
                            boolean replaced = begin(entry) || Boolean.TRUE.equals(stored);
                            return new PutResult.Stored(view(row, entry), replaced);
                        },
                        thread);
    }

    /** Deletes what has this key; whether there was any. */
    public CompletableFuture<Boolean> delete(String key) {
        return call(() -> rows.delete(key)
                .thenApplyAsync(
                        deleted -> {
                            ScheduleEntry entry = entries.get(key);
                            if (entry != null) {
                                remove(entry);
                            }
                            return deleted;
                        },
                        thread));
    }

    /** One with its message; empty if there is none of this key. */
    public CompletableFuture<Optional<ScheduleView>> get(String key) {
        return call(() ->
                rows.read(List.of(key)).thenApplyAsync(found -> views(found).findFirst(), thread));
    }

    /**
     * Those whose keys begin so, in their order, without their messages.
     *
     * @param after the key before the first; empty: from the beginning
     */
    public CompletableFuture<List<ScheduleView>> list(String after, String prefix, int limit) {
        return call(() -> rows.page(after, prefix, limit)
                .thenApplyAsync(found -> views(found).toList(), thread));
    }

    private Stream<ScheduleView> views(List<ScheduleRow> found) {
        return found.stream()
                .map(row -> view(row, entries.get(row.key())))
                .filter(view -> view.row().progress().left() > 0);
    }

    private ScheduleView view(ScheduleRow row, @Nullable ScheduleEntry there) {
        ScheduleEntry entry = there == null || there.generation != row.generation() ? null : there;
        ScheduleRow now = entry == null ? row : row.with(entry.unwritten);
        Progress at = now.progress();
        ScheduleRows.Runner by = rows.runner(row.key());
        return new ScheduleView(
                now,
                entry == null ? by != null && by.running() : entry.state == State.RUNNING,
                clock.wallMillisOf(at.wall(), at.dueMillis()),
                rows.isDurable(),
                by == null ? null : by.node());
    }

    // ------------------------------------------------------------------ rows that others change too

    /** Takes up one whose row is this gateway's now, unless it has it; false: the wheel has no room. Schedules' thread. */
    public boolean take(ScheduleRows.Waiting waiting) {
        ScheduleEntry there = entries.get(waiting.key());
        if (closed || (there != null && there.generation == waiting.generation())) {
            return true;
        }
        ScheduleEntry entry = enter(waiting);
        if (entry != null) {
            begin(entry);
        }
        return entry != null;
    }

    /** Whether this gateway waits for the time of one, for its result or its row. Schedules' thread. */
    public boolean has(String key) {
        return entries.containsKey(key);
    }

    /** Leaves all but those of these keys. Schedules' thread. */
    public void retain(Predicate<String> keys) {
        removeIf(entry -> !keys.test(entry.key));
    }

    private void removeIf(Predicate<ScheduleEntry> which) {
        entries.values().stream().filter(which).toList().forEach(this::remove);
    }

    // ------------------------------------------------------------------ the wheel

    /** Any thread. */
    ScheduleClock clock() {
        return clock;
    }

    /** The wheel's thread: it is due. */
    void found(ScheduleEntry entry) {
        due.add(entry);
        wake();
    }

    private void wake() {
        if (woken.compareAndSet(false, true)) {
            onThread(this::drain);
        }
    }

    private @Nullable ScheduleEntry enter(ScheduleRows.Waiting waiting) {
        ScheduleEntry entry = new ScheduleEntry(this, waiting);
        if (wheel.tryRegister(entry) == TimingWheel.NO_HANDLE) {
            return null;
        }
        count(1);
        bytes.addAndGet(entry.bytes);
        return entry;
    }

    /** Whether it takes the place of another. */
    private boolean begin(ScheduleEntry entry) {
        ScheduleEntry before = entries.put(entry.key, entry);
        if (before != null) {
            leave(before);
        }
        arm(entry);
        return before != null;
    }

    private void leave(ScheduleEntry entry) {
        entry.state = State.GONE;
        wheel.release(entry);
        count(-1);
        bytes.addAndGet(-entry.bytes);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    private void count(int change) {
        count += change;
    }

    private void remove(ScheduleEntry entry) {
        entries.remove(entry.key, entry);
        leave(entry);
    }

    private void arm(ScheduleEntry entry) {
        armNotBefore(entry, entry.deadlineNanos());
    }

    private void armNotBefore(ScheduleEntry entry, long nanos) {
        if (closed) {
            remove(entry);
            return;
        }
        entry.state = State.WAITING;
        wheel.arm(entry, nanos);
        if (!look.armed) {
            look.arm();
        }
    }

    // ------------------------------------------------------------------ the clock

    private void everySecond() {
        look.armed = false;
        if (closed) {
            return;
        }
        lookAtClock();
        moves.writeAgain();
        if (count > 0) {
            look.arm();
        }
    }

    /** What comes later by the wall clock than was known moves by itself ({@link ScheduleEntry#deadlineNanos}); what comes earlier is armed anew. */
    private void lookAtClock() {
        clock.look();
        if (clock.takeStep() || stepUnwritten) {
            stepUnwritten = false;
            rows.putSteps(clock.stepsMillis())
                    .whenCompleteAsync((done, failure) -> stepUnwritten |= failure != null, thread);
        }
        if (clock.takeEarlier()) {
            for (ScheduleEntry entry : entries.values()) {
                if (entry.isWall() && entry.state == State.WAITING) {
                    wheel.arm(entry, entry.deadlineNanos());
                }
            }
        }
    }

    // ------------------------------------------------------------------ runs

    /** Takes a slice of what is due. */
    private void drain() {
        woken.set(false);
        if (reading) {
            return; // it goes on behind that
        }
        lookAtClock();
        long nowNanos = clock.nowNanos();
        List<ScheduleEntry> slice = new ArrayList<>();
        long sliceBytes = 0;
        for (int i = 0; i < MOST_LOOKS && slice.size() < MOST_RUNS && sliceBytes < MOST_BYTES; i++) {
            ScheduleEntry entry = due.poll();
            if (entry == null) {
                break;
            }
            if (entry.state != State.WAITING) {
                continue; // gone, or found twice
            }
            if (entry.dueMillis() - clock.millisOf(entry.isWall(), nowNanos) > 0) {
                arm(entry); // the wall clock was set back
                continue;
            }
            entry.state = State.RUNNING;
            slice.add(entry);
            sliceBytes += entry.bytes;
        }
        read(slice);
    }

    private void read(List<ScheduleEntry> slice) {
        if (slice.isEmpty()) {
            goOn();
            return;
        }
        reading = true;
        rows.begin(slice.stream().map(ScheduleEntry::begin).toList())
                .whenCompleteAsync(
                        (found, failure) -> {
                            if (found == null && slice.size() > 1) {
                                readEach(slice);
                            } else {
                                begin(slice, orNone(found, failure));
                                goOn();
                            }
                        },
                        thread);
    }

    /** A row that cannot be read holds up no other. */
    private void readEach(List<ScheduleEntry> slice) {
        for (ScheduleEntry entry : slice) {
            rows.begin(List.of(entry.begin()))
                    .whenCompleteAsync((found, failure) -> begin(List.of(entry), orNone(found, failure)), thread);
        }
        rows.begin(List.of()).whenCompleteAsync((none, failure) -> goOn(), thread);
    }

    /** What is damaged will not be there another time. */
    private static @Nullable List<ScheduleRow> orNone(@Nullable List<ScheduleRow> found, @Nullable Throwable failure) {
        return StoreException.isDamage(failure) ? List.of() : found;
    }

    private void goOn() {
        reading = false;
        if (!due.isEmpty()) {
            wake();
        }
    }

    /** @param found null: the rows cannot be read */
    private void begin(List<ScheduleEntry> slice, @Nullable List<ScheduleRow> found) {
        if (found == null) {
            if (!unreadTold && !closed && !rows.isShared()) { // else it is no fault, or is told as an outage
                unreadTold = true;
                LOG.warn("schedule {} cannot be read, and is tried again", slice.get(0).key);
            }
            slice.forEach(this::again);
            return;
        }
        unreadTold = false;
        Map<String, ScheduleRow> byKey = new HashMap<>();
        found.forEach(row -> byKey.put(row.key(), row));
        for (ScheduleEntry entry : slice) {
            ScheduleRow row = byKey.get(entry.key);
            if (entry.state != State.RUNNING || closed) {
                again(entry); // deleted while it was read; or to be run after the next start
            } else if (row == null || row.generation() != entry.generation) {
                if (!rows.isShared()) {
                    LOG.error("schedule {} is gone from the disk, or damaged there: it runs no more", entry.key);
                    runs.add(RunResult.FAILED, 1);
                }
                remove(entry);
            } else {
                begin(entry, row.with(entry.unwritten));
            }
        }
    }

    private void begin(ScheduleEntry entry, ScheduleRow row) {
        Progress at = row.progress();
        ScheduleSpec spec = row.spec();
        long foundMillis = clock.millisOf(at.wall(), entry.foundNanos());
        boolean grid = spec.repeat() == ScheduleSpec.Repeat.RATE;
        long every = grid ? spec.everyMillis() : 0;
        RunPlan plan =
                RunPlan.of(spec.missed(), at.dueMillis(), every, at.left(), Math.max(foundMillis, at.dueMillis()));
        Run run = new Run(entry, row, plan, at.passed(plan.passes()).due(at.wall(), plan.at()));
        if (!plan.runs()) {
            runs.add(RunResult.SKIPPED, plan.passes());
            moves.add(entry, grid ? run.passed : row.next(run.passed, clock.steadyMillis()));
            return;
        }
        // of the time in the row, whichever of those that are missed runs: so a crash does not change it
        long timeOfId = spec.missed() == ScheduleSpec.Missed.ONCE ? at.run() : run.passed.run();
        try {
            target.deliver(spec, row.messageId(timeOfId), Objects.requireNonNull(row.payload()))
                    .whenCompleteAsync((result, failure) -> delivered(run, result, failure), thread);
        } catch (RuntimeException fault) {
            delivered(run, null, fault);
        }
    }

    private void delivered(Run run, @Nullable RunResult result, @Nullable Throwable failure) {
        if (ScheduleTarget.isRefusal(failure)) {
            again(run.entry);
            return;
        }
        if (result == null) {
            LOG.warn("schedule {} failed", run.entry.key, failure);
        }
        RunResult known = result == null ? RunResult.FAILED : result;
        runs.add(RunResult.SKIPPED, run.plan.passes());
        runs.add(known, 1);
        if (run.entry.state != State.RUNNING) {
            return; // deleted or replaced meanwhile
        }
        Progress ended = run.passed.ended(known, clock.wallMillis());
        moves.add(run.entry, run.row.next(ended, clock.steadyMillis()));
    }

    /** Nothing was begun: its time comes again in a second, and what is late by then its {@link ScheduleSpec.Missed} decides. */
    private void again(ScheduleEntry entry) {
        if (entry.state == State.RUNNING) {
            armNotBefore(entry, clock.nowNanos() + SECOND_NANOS);
        }
    }

    // ------------------------------------------------------------------ figures

    /** How many there are. */
    public int size() {
        return count;
    }

    /** How many runs have ended each way. */
    public void runs(ObjLongConsumer<RunResult> each) {
        runs.forEach(each);
    }

    // ------------------------------------------------------------------ the thread

    private void onThread(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException ended) {
            LOG.debug("schedules have ended", ended);
        }
    }

    private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
        return CompletableFuture.supplyAsync(call, thread).thenCompose(result -> result);
    }
}
