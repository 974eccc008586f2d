package io.heartwheel.netty;

import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.TimingWheel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.invoke.VarHandle;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Netty's {@link Timer} on a {@link TimingWheel}, to be put in the place of an {@link io.netty.util.HashedWheelTimer}: the same constructors, the
 * same contract, one line to change.
 *
 * <pre>
 *   Timer timer = new HashedWheelTimer(threads, 100, MILLISECONDS, 512);
 *   Timer timer = new WheelTimer(threads, 100, MILLISECONDS, 512);
 * </pre>
 *
 * <p><b>The same.</b> A task runs once, never before its delay is over and at most one tick after, on the timer's own thread or on the {@code
 * taskExecutor}. The thread comes from the {@link ThreadFactory} when the timer is made, starts with {@link #start} or the first timeout, and keeps the
 * process alive until {@link #stop} unless the factory makes daemons. What a task throws is logged as a warning. A negative delay is taken as none, one
 * too long as very long.
 *
 * <p>Works with netty-common 4.1.50 and later, 4.2 included. {@link TimerTask#cancelled} came with 4.1.116: before that nobody is told, as by Netty's own
 * timer.
 *
 * <p><b>Better.</b>
 *
 * <ul>
 *   <li>The thread sleeps until the next tick in which something is due, however far that is; it does not wake every tick.
 *   <li>A timeout far ahead is not visited once a turn of the wheel, but a few times in its life.
 *   <li>{@link Timeout#cancel} takes the timeout out at once: the wheel holds its task no longer, and {@link #pendingTimeouts} and room under {@code
 *       maxPendingTimeouts} are right when it returns, not a tick later.
 *   <li>What is filed within a tick is all filed: there is no most for a tick.
 *   <li>{@link #stop} returns also what was due and had not begun.
 *   <li>A timeout is one object of 48 bytes; no queue is between it and the wheel.
 * </ul>
 *
 * <p><b>Different.</b>
 *
 * <ul>
 *   <li>{@link TimerTask#cancelled} is called by the thread that cancels, before {@link Timeout#cancel} returns, not by the timer's thread a tick later.
 *   <li>Timeouts of one tick expire in no particular order, not in the order they came; nor do those that are overdue together, after the thread was
 *       held up.
 *   <li>{@link #stop} interrupts a task that is under way once, not again and again, and then waits for it.
 *   <li>After {@link #stop}, {@link #pendingTimeouts} is 0.
 *   <li>A turn has 4 to 1,048,576 buckets and a tick 1 ms to one hour, whatever was asked for beyond that; it makes no difference to when tasks run but
 *       that they run closer to their time.
 *   <li>Delays are cut to about 146 years. At most {@link TimingWheel#MAX_ENTRIES} timeouts are pending; an empty timer takes about 1 MB.
 *   <li>Nobody counts how many timers a process has, and nothing can be derived from this class.
 * </ul>
 *
 * <h2>Concurrency</h2>
 *
 * <p>Callers: all methods by any thread, also from within tasks, but for {@link #stop}. Lock-free once the thread runs.
 *
 * <p>Fields: {@code pending}, atomic, counts timeouts from before they are registered until they end; {@code stopped}, set once.
 *
 * <p>Stop. Who makes a timeout registers it and then reads {@code stopped}; {@link #stop} writes {@code stopped} and then walks over the registered ones,
 * with a full fence between on both sides. So the maker sees the stop, or the walk sees the timeout, or both; and then the first to end the
 * timeout has it: the maker throws, or the stop returns it.
 */
public final class WheelTimer implements Timer {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(WheelTimer.class);

    private static final ResourceLeakDetector<WheelTimer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(WheelTimer.class, 1);

    private static final long DEFAULT_TICK_MILLIS = 100;
    private static final int DEFAULT_TICKS_PER_WHEEL = 512;
    private static final long NO_LIMIT = -1;

    private final Drive drive;
    private final Executor taskExecutor;
    private final long maxPendingTimeouts;
    private final @Nullable ResourceLeakTracker<WheelTimer> leak;
    private final AtomicLong pending = new AtomicLong();
    private final AtomicBoolean stopped = new AtomicBoolean();

    // --- constructors ---

    /** As {@link #WheelTimer(ThreadFactory)} with {@link Executors#defaultThreadFactory}. */
    public WheelTimer() {
        this(Executors.defaultThreadFactory());
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit)} with {@link Executors#defaultThreadFactory}. */
    public WheelTimer(long tickDuration, TimeUnit unit) {
        this(Executors.defaultThreadFactory(), tickDuration, unit);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit, int)} with {@link Executors#defaultThreadFactory}. */
    public WheelTimer(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        this(Executors.defaultThreadFactory(), tickDuration, unit, ticksPerWheel);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit)} with a tick of 100 ms. */
    public WheelTimer(ThreadFactory threadFactory) {
        this(threadFactory, DEFAULT_TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit, int)} with 512 ticks a turn. */
    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit) {
        this(threadFactory, tickDuration, unit, DEFAULT_TICKS_PER_WHEEL);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit, int, boolean)} with leak detection. */
    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, true);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit, int, boolean, long)} without limit. */
    public WheelTimer(
            ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel, boolean leakDetection) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, leakDetection, NO_LIMIT);
    }

    /** As {@link #WheelTimer(ThreadFactory, long, TimeUnit, int, boolean, long, Executor)}; tasks run on the timer's own thread. */
    public WheelTimer(
            ThreadFactory threadFactory,
            long tickDuration,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPendingTimeouts) {
        this(
                threadFactory,
                tickDuration,
                unit,
                ticksPerWheel,
                leakDetection,
                maxPendingTimeouts,
                ImmediateExecutor.INSTANCE);
    }

    /**
     * A timer as described; its thread is made and not started.
     *
     * @param threadFactory asked for one thread, here and now
     * @param tickDuration how late a task may be, 1 or more of {@code unit}; less than 1 ms is taken as that
     * @param unit of {@code tickDuration}
     * @param ticksPerWheel 1 or more, rounded up to a power of two
     * @param leakDetection whether a timer that is dropped without {@link #stop} is reported by Netty's leak detection; one whose thread is no daemon
     *     always is
     * @param maxPendingTimeouts the most timeouts pending at once; 0 or less for no limit
     * @param taskExecutor runs the tasks; the caller's to shut down
     * @throws NullPointerException when factory, its thread, unit or executor are null
     * @throws IllegalArgumentException when ticks are not positive or a turn is longer than {@link Long#MAX_VALUE} nanoseconds
     */
    public WheelTimer(
            ThreadFactory threadFactory,
            long tickDuration,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPendingTimeouts,
            Executor taskExecutor) {
        this(
                drive(threadFactory, tickDuration, unit, ticksPerWheel, taskExecutor),
                leakDetection,
                maxPendingTimeouts,
                taskExecutor);
    }

    /** Turned by whatever there is, so that tests turn it by hand. */
    WheelTimer(Drive drive, boolean leakDetection, long maxPendingTimeouts, Executor taskExecutor) {
        this.drive = drive;
        this.taskExecutor = taskExecutor;
        this.maxPendingTimeouts = maxPendingTimeouts > 0 ? maxPendingTimeouts : Long.MAX_VALUE;
        leak = leakDetection || !drive.isDaemon() ? LEAKS.track(this) : null;
    }

    private static Drive drive(
            ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel, Executor taskExecutor) {
        Objects.requireNonNull(threadFactory, "threadFactory");
        Objects.requireNonNull(taskExecutor, "taskExecutor");
        int buckets = WheelShape.buckets(ticksPerWheel);
        return new ThreadDrive(threadFactory, WheelShape.tickNanos(tickDuration, unit, ticksPerWheel), buckets);
    }

    // --- start, stop ---

    /**
     * Starts the thread; nothing when it runs. The first timeout starts it as well.
     *
     * @throws IllegalStateException after {@link #stop}
     */
    public void start() {
        if (stopped.get()) {
            throw refusedByStop();
        }
        drive.start();
    }

    /**
     * Takes no new timeouts, cancels those that are pending without telling their tasks, and ends the thread. Waits for a task that is under way on it,
     * which it interrupts; the caller's own interrupt is kept. A walk over all timeouts there ever were at once.
     *
     * @return those that had neither expired nor been cancelled; of all calls, the first has them
     * @throws IllegalStateException when called by a task on the timer's own thread
     */
    @Override
    public Set<Timeout> stop() {
        if (drive.isHere()) {
            throw new IllegalStateException("stop called by a task on the timer's own thread");
        }
        if (stopped.getAndSet(true)) {
            return Collections.emptySet();
        }
        VarHandle.fullFence();
        Set<Timeout> left = new HashSet<>();
        drive.wheel().forEach(timed -> {
            if (timed instanceof WheelTimeout timeout && timeout.takeBack()) {
                left.add(timeout);
            }
        });
        drive.end();
        if (leak != null) {
            leak.close(this);
        }
        return left;
    }

    // --- timeouts ---

    /**
     * Runs the task once. Makes one object; its cost is the same however many there are.
     *
     * @param delay in {@code unit}; zero or less is due within a tick
     * @throws RejectedExecutionException when as many as allowed are pending; names the numbers
     * @throws IllegalStateException after {@link #stop}
     */
    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Objects.requireNonNull(task, "task");
        long delayNanos = unit.toNanos(delay);
        reserve();
        WheelTimeout timeout = new WheelTimeout(this, task, Deadline.after(drive.nowNanos(), delayNanos));
        if (!timeout.register()) {
            pending.getAndDecrement();
            throw new RejectedExecutionException(
                    "timer.maxPendingTimeouts = " + TimingWheel.MAX_ENTRIES + ": that many are in the wheel");
        }
        VarHandle.fullFence();
        if (!stopped.get()) {
            timeout.arm();
        } else if (timeout.leave()) {
            throw refusedByStop();
        }
        return timeout;
    }

    /** How many timeouts are pending, with those about to be made. */
    public long pendingTimeouts() {
        return pending.get();
    }

    private void reserve() {
        for (; ; ) {
            long now = pending.get();
            if (stopped.get()) {
                throw refusedByStop();
            }
            if (now >= maxPendingTimeouts) {
                throw new RejectedExecutionException(
                        "timer.maxPendingTimeouts = " + maxPendingTimeouts + ": " + now + " are pending");
            }
            if (pending.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    private static IllegalStateException refusedByStop() {
        return new IllegalStateException("timer.stopped = true: it takes no timeouts and does not start again");
    }

    @Override
    public String toString() {
        return "wheel timer, tick "
                + TimeUnit.NANOSECONDS.toMillis(drive.wheel().tickNanos()) + " ms, " + pendingTimeouts() + " pending"
                + (stopped.get() ? ", stopped" : "");
    }

    /** Whether dropping it without {@link #stop} is reported. */
    boolean isWatchedForLeaks() {
        return leak != null;
    }

    // --- for timeouts ---

    TimingWheel wheel() {
        return drive.wheel();
    }

    long nowNanos() {
        return drive.nowNanos();
    }

    Executor taskExecutor() {
        return taskExecutor;
    }

    /** Called once for each timeout, by who ended it. */
    void ended() {
        pending.getAndDecrement();
    }

    void warn(String what, TimerTask task, Throwable failure) {
        LOGGER.warn("task {} of a timer {}", task.getClass().getName(), what, failure);
    }
}
