package io.heartwheel.wheel;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * General timers on a shared {@link TimingWheel}: tasks that run once or again and again, on executors of their own.
 *
 * <pre>
 *   var wheel = new TimingWheel(WheelSettings.defaults(), System.nanoTime(), WheelObserver.NONE);
 *   var thread = new WheelThread(wheel, System::nanoTime, WheelSettings.DEFAULT_SLICE);
 *   thread.startWhenNeeded();
 *   var timers = new Timers(wheel, System::nanoTime, executor, 100_000, TimerObserver.NONE);
 *
 *   Timer timer = timers.once(Duration.ofSeconds(5), () -&gt; retry(order));
 *   timers.start(Schedule.atFixedRate(Duration.ZERO, Duration.ofMinutes(1)), this::report);
 *   timers.replace(session, Duration.ofMinutes(30), session::expire);   // again and again: the one before is cancelled
 *   if (timer.cancel()) { ... }                                      // it has not run and never will
 * </pre>
 *
 * <p><b>When.</b> A task is handed to its executor never before it is due, and at most one tick after when the wheel is turned on time. What is
 * due already is handed over by the next advance. Delays are cut to {@link Deadline#MAX_DELAY_NANOS}. The clock must be the one the wheel is
 * turned by.
 *
 * <p><b>Again and again.</b> A timer is armed anew when its run is over, so its runs never overlap. {@linkplain Schedule#atFixedRate A fixed rate}
 * keeps its grid: the n-th run is due at {@code start + initial + n x period}, however late the runs before were. Of the runs that are overdue
 * when one ends, only the last takes place, at once; those more than a whole period overdue are skipped and counted, so that a suspended process does
 * not make up for the night in one burst. {@linkplain Schedule#withFixedDelay A fixed delay} counts from the end of the run.
 *
 * <p><b>Faults.</b> A task that throws and an executor that refuses are counted and told to the {@link TimerObserver}; no other timer feels it, and
 * the timer itself goes on: unlike that of {@link java.util.concurrent.ScheduledExecutorService}, which ends without a word. The run counts as
 * one. An executor that drops a run silently leaves a periodic timer waiting for it, pending until it is cancelled.
 *
 * <p><b>Keys.</b> At most one pending timer stands under a key. The key is forgotten when its timer has fired for the last time or has been
 * cancelled. A timer that is started without a key once more does not end the one before, which stays pending until it is due: a timeout of 45 s that is
 * started anew each second is 45 timers. What moves again and again has a key, or is a {@link Timed} of its own, whose deadline moves at the cost of a store.
 *
 * <p><b>Cost.</b> Starting a timer makes one object, besides the task, and for a key an entry of a hash map; everything is independent of how many
 * there are, but {@link #stop}, which walks over the whole wheel.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Callers: all methods by any thread, also from within a task, on the wheel's thread too. Lock-free but for the map's bins. The life of a timer
 * stands in {@code TimerEntry}; here is what concerns several.
 *
 * <p>Fields: {@code pending}, atomic, counts timers from before they are registered until they end; {@code keyed}, from before the timer is armed;
 * {@code stopped}, volatile, set once.
 *
 * <p>Keys. The map decides what replaces what: each timer put under a key is taken from there once, by the next {@link #replace} or by {@link
 * #remove}, which then cancels it, or by its own end. The newcomer is armed when the old one is cancelled or has fired, so they are
 * never handed over in the wrong order (jcstress: {@code ReplaceOrFireKeyedStress}, {@code ReplaceKeepsOneUnderTheKeyStress}).
 *
 * <p>Stop. A starter registers its timer and then reads {@code stopped}; {@link #stop} writes {@code stopped} and then walks over the registered
 * ones, with a full fence between on both sides. So the starter sees the stop, or the walk sees the timer, or both; and then the first to
 * move the timer to STOPPED has it: the starter rejects it, or the stop returns it (jcstress: {@code ScheduleOrStopNeverLostStress}).
 */
public final class Timers {

    /**
     * Runs tasks at once on the thread that turns the wheel. For tasks that are short and never block: while one runs, no other timer and no
     * connection expires.
     */
    public static final Executor ON_WHEEL_THREAD = Runnable::run;

    private final TimingWheel wheel;
    private final LongSupplier clock;
    private final Executor executor;
    private final int maxPending;
    private final TimerObserver observer;
    private final TimerCounters counters = new TimerCounters();
    private final ConcurrentHashMap<Object, TimerEntry> keyed = new ConcurrentHashMap<>();
    private final AtomicInteger pending = new AtomicInteger();
    private volatile boolean stopped;

    /**
     * Timers that use the wheel beside its other entries.
     *
     * @param clock monotonic nanoseconds, the same the wheel is turned by; read once when a timer is started and once after each run that is not
     *     the last
     * @param executor where tasks run whose timer names no other; {@link #ON_WHEEL_THREAD} for the wheel's own thread
     * @param maxPending the most timers pending at once, 1 or more; the wheel's limit holds besides
     * @throws IllegalArgumentException naming what is out of its range
     */
    public Timers(TimingWheel wheel, LongSupplier clock, Executor executor, int maxPending, TimerObserver observer) {
        if (maxPending < 1) {
            throw new IllegalArgumentException("timers.maxPending = " + maxPending + ": need 1 or more");
        }
        this.wheel = Objects.requireNonNull(wheel, "wheel");
        this.clock = Objects.requireNonNull(clock, "clock");
        this.executor = Objects.requireNonNull(executor, "executor");
        this.maxPending = maxPending;
        this.observer = Objects.requireNonNull(observer, "observer");
    }

    // --- starting ---

    /**
     * Runs the task once.
     *
     * @param delayNanos nanoseconds from now; zero or less is due in the next advance
     * @throws RejectedExecutionException as {@link #start(Schedule, Runnable, Executor)}
     */
    public Timer once(long delayNanos, Runnable task) {
        return once(delayNanos, task, executor);
    }

    /** As {@link #once(long, Runnable)}. */
    public Timer once(Duration delay, Runnable task) {
        return once(Schedule.nanos(delay), task);
    }

    /** As {@link #once(long, Runnable)}, on an executor of its own. */
    public Timer once(long delayNanos, Runnable task, Executor on) {
        return enter(null, delayNanos, 0, 1, task, on);
    }

    /** As {@link #start(Schedule, Runnable, Executor)}, on the executor given to the constructor. */
    public Timer start(Schedule schedule, Runnable task) {
        return start(schedule, task, executor);
    }

    /**
     * Runs the task as scheduled.
     *
     * @param on where it runs
     * @throws RejectedExecutionException when too many timers are pending, the wheel is full or the timers are stopped; names the limit
     */
    public Timer start(Schedule schedule, Runnable task, Executor on) {
        return enter(null, schedule, task, on);
    }

    // --- keys ---

    /** As {@link #replace(Object, long, Runnable, Executor)}, on the executor given to the constructor. */
    public Timer replace(Object key, Duration delay, Runnable task) {
        return replace(key, Schedule.nanos(delay), task, executor);
    }

    /** As {@link #replace(Object, long, Runnable, Executor)}, on the executor given to the constructor. */
    public Timer replace(Object key, long delayNanos, Runnable task) {
        return replace(key, delayNanos, task, executor);
    }

    /**
     * Runs the task once, in place of what was to run under the key, as {@link #replace(Object, Schedule, Runnable, Executor)}: for a timeout that is started
     * anew with each activity. However often that happens, one timer is pending; the released entries of those before are the wheel's until its next turn,
     * which comes at once when many wait.
     *
     * @param delayNanos nanoseconds from now; zero or less is due in the next advance
     */
    public Timer replace(Object key, long delayNanos, Runnable task, Executor on) {
        return enter(Objects.requireNonNull(key, "key"), delayNanos, 0, 1, task, on);
    }

    /** As {@link #replace(Object, Schedule, Runnable, Executor)}, on the executor given to the constructor. */
    public Timer replace(Object key, Schedule schedule, Runnable task) {
        return replace(key, schedule, task, executor);
    }

    /**
     * Runs the task as scheduled, in place of what was to run under the key, which is cancelled; a run of it under way goes on. Of several threads that replace at once one
     * comes last, and its timer stays.
     *
     * @param key with {@code equals} and {@code hashCode} as for a hash map
     * @throws RejectedExecutionException as {@link #start(Schedule, Runnable, Executor)}; what is under the key then stays there. For a moment there
     *     are two: the limit must leave room for one more
     */
    public Timer replace(Object key, Schedule schedule, Runnable task, Executor on) {
        return enter(Objects.requireNonNull(key, "key"), schedule, task, on);
    }

    /**
     * Cancels what is to run under the key.
     *
     * @return whether this prevented runs, as {@link Timer#cancel}
     */
    public boolean remove(Object key) {
        TimerEntry entry = keyed.remove(key);
        return entry != null && entry.cancel();
    }

    /** The timer pending under the key, or null. */
    public @Nullable Timer get(Object key) {
        TimerEntry entry = keyed.get(key);
        return entry != null && entry.state() == Timer.State.PENDING ? entry : null;
    }

    // --- all of them ---

    /** How many timers are pending, with those about to be started. */
    public int pending() {
        return pending.get();
    }

    /** How many keys have a timer. */
    public int keys() {
        return keyed.size();
    }

    /** What has been done so far. */
    public TimerCounters counters() {
        return counters;
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Takes no new timers, and takes back all that are pending; runs under way go on. A walk over all entries the wheel ever held at once.
     *
     * @return every timer that had runs to come and now has none, each in one answer only: a second stop returns none of them
     */
    public List<Timer> stop() {
        stopped = true;
        VarHandle.fullFence();
        List<Timer> left = new ArrayList<>();
        wheel.forEach(timed -> {
            if (timed instanceof TimerEntry entry && entry.belongsTo(this) && entry.end(TimerEntry.STOPPED)) {
                left.add(entry);
            }
        });
        return left;
    }

    // --- entering ---

    private Timer enter(@Nullable Object key, Schedule schedule, Runnable task, Executor on) {
        long every = schedule.everyNanos();
        boolean pauses = schedule.kind() == Schedule.Kind.FIXED_DELAY;
        return enter(key, schedule.delayNanos(), pauses ? -every : every, schedule.times(), task, on);
    }

    private Timer enter(
            @Nullable Object key, long delayNanos, long everyNanos, long times, Runnable task, Executor on) {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(on, "executor");
        long first = Deadline.after(clock.getAsLong(), delayNanos);
        TimerEntry entry = new TimerEntry(this, key, first, everyNanos, times, task, on);
        reserve();
        if (!entry.register()) {
            pending.getAndDecrement();
            throw rejected("wheel.maxEntries = " + wheel.maxEntries() + ": every handle is in use");
        }
        VarHandle.fullFence();
        if (stopped) {
            return leave(entry);
        }
        counters.started.increment();
        if (key != null) {
            putUnder(key, entry);
        }
        entry.arm();
        if (key != null && entry.state() != Timer.State.PENDING) {
            // It may have ended before it was put there.
            keyed.remove(key, entry);
        }
        return entry;
    }

    private void putUnder(Object key, TimerEntry entry) {
        TimerEntry before = keyed.put(key, entry);
        if (before != null) {
            before.cancel();
        }
    }

    private void reserve() {
        for (; ; ) {
            int now = pending.get();
            if (stopped) {
                throw rejectedByStop();
            }
            if (now >= maxPending) {
                throw rejected("timers.maxPending = " + maxPending + ": that many are pending");
            }
            if (pending.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    /** The timer was registered when the stop had begun: it is rejected, unless the stop has it. */
    private Timer leave(TimerEntry entry) {
        boolean mine = entry.end(TimerEntry.STOPPED);
        entry.release();
        if (mine) {
            throw rejectedByStop();
        }
        counters.started.increment();
        return entry;
    }

    private RejectedExecutionException rejectedByStop() {
        return rejected("timers.stopped = true: none are taken any more");
    }

    private RejectedExecutionException rejected(String message) {
        counters.rejected.increment();
        return new RejectedExecutionException(message);
    }

    // --- for entries ---

    TimingWheel wheel() {
        return wheel;
    }

    long nowNanos() {
        return clock.getAsLong();
    }

    /** Called once for each timer, by who ended it. */
    void ended(TimerEntry entry, int how) {
        pending.getAndDecrement();
        if (how == TimerEntry.CANCELLED) {
            counters.cancelled.increment();
        }
        Object key = entry.key();
        if (key != null) {
            keyed.remove(key, entry);
        }
    }

    void tellFailed(Timer timer, Throwable failure) {
        counters.failed.increment();
        tell(() -> observer.failed(timer, failure));
    }

    void tellRefused(Timer timer, Throwable refusal) {
        counters.refused.increment();
        tell(() -> observer.refused(timer, refusal));
    }

    void tellSkipped(Timer timer, long runs) {
        counters.skipped.add(runs);
        tell(() -> observer.skipped(timer, runs));
    }

    private void tell(Runnable word) {
        try {
            word.run();
        } catch (Throwable failure) {
            counters.failed.increment();
        }
    }
}
