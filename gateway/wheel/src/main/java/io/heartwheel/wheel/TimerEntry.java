package io.heartwheel.wheel;

import static java.lang.invoke.MethodHandles.lookup;

import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A timer: entry of the wheel, task of its executor and handle of its caller in one object of 72 bytes.
 *
 * <pre>
 *              arm             expire            executor          task over
 *   ARMING ---------&gt; WAITING --------&gt; QUEUED ----------&gt; RUNNING ---------&gt; ARMING ...
 *     |  ^               |                 |
 *     v  | arm again     | expire, last    | refused
 *     DUE                v                 v
 *                      FIRED             ARMING ...
 *
 *   cancel, stop: from any but FIRED to CANCELLED, STOPPED; those three are for good
 * </pre>
 *
 * <h2>Concurrency</h2>
 *
 * <p>Callers: {@link #expire} and {@link #deadlineNanos} by the turning thread; {@link #run} by the executor; the rest by any thread.
 *
 * <p>Fields: {@code word}, runs so far and state in one, changed by compare-and-set only, by all. {@code deadlineNanos}: volatile, written by who
 * owns the timer in ARMING.
 *
 * <p>Owner. The wheel wants one thread at a time to arm and release a handle, and no word of it after the release. Whoever brings a timer into one
 * of these states owns its handle while the timer is there:
 *
 * <ul>
 *   <li>ARMING: the thread that starts the timer or has ended a run. It arms and then lets go by ARMING to WAITING.
 *   <li>WAITING, QUEUED: nobody. Who takes the timer out of these owns it: the turning thread by expiring, a canceller to release it, the executor's
 *       thread to run it, the turning thread when the executor refused.
 *   <li>RUNNING: the executor's thread, until it is ARMING again.
 * </ul>
 *
 * <p>Who cancels in WAITING or QUEUED has become the owner and releases. Who cancels in ARMING, DUE or RUNNING has not: the owner there finds the
 * timer cancelled when it means to go on, and releases (jcstress: {@code CancelDuringRearmReleasesOnceStress}). An expiry that comes in ARMING,
 * before the owner has let go of a handle that is armed already, leaves the note DUE; the owner then arms once more, so that {@code
 * TimingWheel.arm} is never under way when another thread gets the handle (jcstress: {@code ExpireWhileArmingIsNotLostStress}).
 *
 * <p>Each arming is followed by at most one {@link #expire}, and the next one only comes after that. As the word grows with every run and never
 * comes back to a value that a run was expected in, a canceller that read it before a run fails after it and looks again: it prevents what is to
 * come or answers {@code false}, and its {@code true} is told once (jcstress: {@code CancelOrFireNeverBothStress}, {@code CancelIsToldOnceStress}).
 *
 * <p>Allowed races: {@code expire} finds CANCELLED or STOPPED, since the wheel had decided before; it does nothing. A run that was queued is begun
 * by the executor after the timer was cancelled; it does nothing.
 */
final class TimerEntry extends WheelEntry implements Timer, Runnable {

    static final int ARMING = 0;
    static final int DUE = 1;
    static final int WAITING = 2;
    static final int QUEUED = 3;
    static final int RUNNING = 4;
    static final int FIRED = 5;
    static final int CANCELLED = 6;
    static final int STOPPED = 7;

    private static final int STATE_BITS = 3;
    private static final int STATE_MASK = (1 << STATE_BITS) - 1;

    private static final VarHandle WORD = field(lookup(), "word", long.class);

    private final Timers timers;
    private final Runnable task;
    private final Executor executor;
    private final @Nullable Object key;
    /** The period if positive, the pause if negative, 0 for a timer that runs once. */
    private final long everyNanos;

    private final long times;

    /** Runs so far, and the state in the lowest bits. */
    private volatile long word = ARMING;

    /** Not moved off the wheel's marks, so that the grid of a fixed rate stays as it is when it passes over them. */
    private volatile long deadlineNanos;

    TimerEntry(
            Timers timers,
            @Nullable Object key,
            long firstNanos,
            long everyNanos,
            long times,
            Runnable task,
            Executor executor) {
        this.timers = timers;
        this.key = key;
        this.deadlineNanos = firstNanos;
        this.everyNanos = everyNanos;
        this.times = times;
        this.task = task;
        this.executor = executor;
    }

    // --- any thread ---

    @Override
    public State state() {
        return switch (stateOf(word)) {
            case FIRED -> State.FIRED;
            case CANCELLED -> State.CANCELLED;
            case STOPPED -> State.STOPPED;
            default -> State.PENDING;
        };
    }

    @Override
    public long runs() {
        return word >>> STATE_BITS;
    }

    @Override
    public Runnable task() {
        return task;
    }

    @Override
    public @Nullable Object key() {
        return key;
    }

    @Override
    public long deadlineNanos() {
        return Math.max(deadlineNanos, Deadline.FIRST);
    }

    @Override
    public boolean cancel() {
        return end(CANCELLED);
    }

    /** Ends a timer that has not ended; false when it had. */
    boolean end(int how) {
        for (; ; ) {
            long before = word;
            int state = stateOf(before);
            if (state >= FIRED) {
                return false;
            }
            if (move(before, how)) {
                if (state == WAITING || state == QUEUED) {
                    release();
                }
                timers.ended(this, how);
                return true;
            }
        }
    }

    boolean belongsTo(Timers other) {
        return timers == other;
    }

    @Override
    public String toString() {
        return "timer " + (key == null ? "" : key + " ") + state() + ", runs " + runs();
    }

    // --- the owner in ARMING ---

    /** Takes a handle; the timer can be seen by {@link Timers#stop} from now on. */
    boolean register() {
        return timers.wheel().tryRegister(this) != TimingWheel.NO_HANDLE;
    }

    /** Gives the wheel the deadline and lets go; or releases when the timer was ended meanwhile. */
    void arm() {
        try {
            armAndLetGo();
        } catch (Throwable failure) {
            // Nobody can be got to turn the wheel.
            end(CANCELLED);
            release();
            throw failure;
        }
    }

    private void armAndLetGo() {
        long arming = word & ~(long) STATE_MASK;
        for (; ; ) {
            timers.wheel().arm(this, deadlineNanos());
            if (move(arming | ARMING, WAITING)) {
                return;
            }
            if (!move(arming | DUE, ARMING)) {
                release();
                return;
            }
        }
    }

    void release() {
        timers.wheel().release(this);
    }

    // --- the turning thread ---

    @Override
    public void expire(long nowNanos) {
        for (; ; ) {
            long before = word;
            int state = stateOf(before);
            if (state == WAITING) {
                boolean last = (before >>> STATE_BITS) + 1 == times;
                if (WORD.compareAndSet(this, before, next(before, last ? FIRED : QUEUED))) {
                    if (last) {
                        release();
                        timers.ended(this, FIRED);
                    }
                    handOver(next(before, QUEUED));
                    return;
                }
            } else if (state != ARMING || move(before, DUE)) {
                return;
            }
        }
    }

    private void handOver(long queued) {
        timers.counters().runs.increment();
        try {
            executor.execute(this);
        } catch (Throwable refusal) {
            timers.tellRefused(this, refusal);
            if (move(queued, ARMING)) {
                armNext();
            }
        }
    }

    // --- the executor ---

    @Override
    public void run() {
        long before = word;
        int state = stateOf(before);
        if (state == FIRED) {
            runTask();
        } else if (state == QUEUED && move(before, RUNNING)) {
            runTask();
            if (move(before - QUEUED + RUNNING, ARMING)) {
                armNext();
            } else {
                release();
            }
        }
    }

    private void runTask() {
        try {
            task.run();
        } catch (Throwable failure) {
            timers.tellFailed(this, failure);
        }
    }

    /** A run is over and others are to come. */
    private void armNext() {
        long now = timers.nowNanos();
        long skipped = 0;
        long next;
        if (everyNanos < 0) {
            next = Deadline.after(now, -everyNanos);
        } else {
            next = deadlineNanos + everyNanos;
            skipped = Math.max(now - next, 0) / everyNanos;
            next += skipped * everyNanos;
        }
        deadlineNanos = next;
        arm();
        if (skipped > 0) {
            timers.tellSkipped(this, skipped);
        }
    }

    // --- the word ---

    private static int stateOf(long word) {
        return (int) word & STATE_MASK;
    }

    /** The word after one more run. */
    private static long next(long before, int state) {
        return ((before >>> STATE_BITS) + 1) << STATE_BITS | state;
    }

    /** To another state in the same run. */
    private boolean move(long expected, int state) {
        return WORD.compareAndSet(this, expected, (expected & ~(long) STATE_MASK) | state);
    }
}
