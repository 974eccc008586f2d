package io.heartwheel.liveness;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Progress of one thread that carries a promise, as the thread itself reports it to {@link ThreadSupervisor}. A report is one volatile write and reads no
 * clock: whoever looks brings the time. A thread that had nothing to do for long may end, and be started again when there is.
 *
 * <p>Owner: the thread, the only writer of {@code reports}; odd: it has something to do. Whoever starts it writes {@code work} and {@code thread}, which the
 * thread takes back when it ends with nothing to do. The rest is the supervisor's; {@code stillNanos} is read by any, and may be a look old.
 */
public final class ThreadProgress {
    private final String name;
    private final boolean vital;
    private volatile long reports;
    private volatile BooleanSupplier work = () -> false;
    private volatile @Nullable Thread thread;

    // the supervisor's
    private long seen;
    private boolean ended;
    private boolean told;
    private volatile long stillNanos;

    /** @param name of the thread, in health, metrics and thread dumps */
    public ThreadProgress(String name) {
        this(name, true);
    }

    ThreadProgress(String name, boolean vital) {
        this.name = name;
        this.vital = vital;
    }

    /** Runs this on a thread of its own, a daemon; while there is none. */
    public Thread start(Runnable body) {
        return start(body, () -> false);
    }

    /**
     * The same for a thread that others give work to.
     *
     * @param waits whether work waits, also while the thread reports none: a wake-up that was missed is found by it; any thread, quick
     */
    public Thread start(Runnable body, BooleanSupplier waits) {
        Thread begun = new Thread(body, name);
        begun.setDaemon(true);
        work = waits;
        thread = begun;
        try {
            begun.start();
        } catch (Throwable none) {
            thread = null;
            throw none;
        }
        return begun;
    }

    /** This thread reports here, and has been started by somebody else; once. */
    public void started(Thread begun) {
        thread = begun;
    }

    /** There is nothing to do and the thread ends: {@link #start} may begin another. The thread only, in an order with that start that the caller sees to. */
    public void leaves() {
        rests();
        thread = null;
    }

    /** There is something to do, or a part of it is done. The thread only. */
    public void works() {
        long before = reports;
        reports = (before + 1) | 1;
    }

    /** There is nothing to do, or what it waits for may take as long as it likes: a receiver, a clock. The thread only. */
    public void rests() {
        long before = reports;
        reports = (before | 1) + 1;
    }

    /** Whether the process is unhealthy when it stands still, and ends. */
    public boolean isVital() {
        return vital;
    }

    /** Name of the thread. */
    public String name() {
        return name;
    }

    /** How long it has had something to do and done nothing, nanoseconds; of one that has ended, {@link ThreadSupervisor#STILL_NANOS} and more. */
    public long stillNanos() {
        return stillNanos;
    }

    /** The thread; null: none now. */
    public @Nullable Thread thread() {
        return thread;
    }

    /**
     * Looks at it once more.
     *
     * @param passedNanos since the look before, as far as they count
     * @return whether it became unhealthy
     */
    boolean look(long passedNanos) {
        Thread watched = thread;
        long now = reports;
        boolean works = (now & 1) == 1 || work.getAsBoolean();
        // one that leaves says so before it ends
        ended = watched != null && watched.getState() == Thread.State.TERMINATED && thread == watched;
        if (ended) {
            stillNanos = Math.max(ThreadSupervisor.STILL_NANOS, stillNanos + passedNanos);
        } else {
            stillNanos = works && now == seen ? stillNanos + passedNanos : 0;
        }
        seen = now;
        boolean first = isUnhealthy() && !told;
        told = isUnhealthy();
        return first;
    }

    boolean isUnhealthy() {
        return stillNanos >= ThreadSupervisor.STILL_NANOS;
    }

    /** Words for an operator. */
    String problem() {
        return "thread " + name + (ended ? " has ended" : " has stood still for " + stillNanos / 1_000_000_000 + " s");
    }
}
