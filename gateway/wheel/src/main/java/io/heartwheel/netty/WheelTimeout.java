package io.heartwheel.netty;

import static java.lang.invoke.MethodHandles.lookup;

import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelEntry;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * A timeout: entry of the wheel, handle of its caller and run of its executor in one object of 48 bytes.
 *
 * <pre>
 *            armed             expire
 *   ARMING --------&gt; WAITING --------&gt; EXPIRED       cancel, stop: from ARMING and WAITING to CANCELLED
 *      \---------------expire-----------^
 * </pre>
 *
 * <h2>Concurrency</h2>
 *
 * <p>Callers: {@link #expire} and {@link #deadlineNanos} by the turning thread, {@link #run} by the executor, {@link #register}, {@link #arm} and {@link #leave} by the thread that
 * makes it, the rest by any.
 *
 * <p>Fields: {@code state}, changed by compare-and-set only, by all; {@code handle}, plain, written once before the state leaves ARMING by the hand
 * of the thread that makes it.
 *
 * <p>Owner. The wheel wants one thread at a time to arm and release a handle. While ARMING that is the thread that makes the timeout: who expires or
 * cancels it then leaves the handle alone, and the maker releases it when it finds the timeout ended. Who brings it out of WAITING owns the handle
 * and releases it.
 *
 * <p>Allowed race: {@code expire} finds CANCELLED, since the wheel had decided before; it does nothing.
 */
final class WheelTimeout extends WheelEntry implements Timeout, Runnable {

    private static final int ARMING = 0;
    private static final int WAITING = 1;
    private static final int EXPIRED = 2;
    private static final int CANCELLED = 3;

    private static final VarHandle STATE = field(lookup(), "state", int.class);

    /** Whether tasks can be told: {@code TimerTask.cancelled} came with netty-common 4.1.116. */
    private static final boolean TELLS_CANCELLED = hasCancelled();

    private static boolean hasCancelled() {
        try {
            TimerTask.class.getMethod("cancelled", Timeout.class);
            return true;
        } catch (NoSuchMethodException before41116) {
            return false;
        }
    }

    private final WheelTimer timer;
    private final TimerTask task;
    private final long deadlineNanos;
    private volatile int state = ARMING;

    WheelTimeout(WheelTimer timer, TimerTask task, long deadlineNanos) {
        this.timer = timer;
        this.task = task;
        this.deadlineNanos = deadlineNanos;
    }

    // --- the thread that makes it ---

    /** Takes a handle, so that {@link WheelTimer#stop} sees the timeout; false when there is none left. */
    boolean register() {
        return timer.wheel().tryRegister(this) != TimingWheel.NO_HANDLE;
    }

    /** Gives the wheel the deadline and lets go. */
    void arm() {
        try {
            timer.wheel().arm(this, deadlineNanos);
        } catch (Throwable failure) {
            // No thread could be started to turn the wheel.
            end(CANCELLED);
            release();
            throw failure;
        }
        if (!STATE.compareAndSet(this, ARMING, WAITING)) {
            release();
        }
    }

    /** Ends it unarmed; false when {@link WheelTimer#stop} has done so. */
    boolean leave() {
        boolean mine = end(CANCELLED);
        release();
        return mine;
    }

    private void release() {
        timer.wheel().release(this);
    }

    // --- any thread ---

    @Override
    public Timer timer() {
        return timer;
    }

    @Override
    public TimerTask task() {
        return task;
    }

    @Override
    public boolean isExpired() {
        return state == EXPIRED;
    }

    @Override
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    /** Takes the timeout out of the wheel, here and now, and then tells its task, where this Netty has a way to. */
    @Override
    public boolean cancel() {
        boolean cancelled = end(CANCELLED);
        if (cancelled && TELLS_CANCELLED) {
            tellCancelled();
        }
        return cancelled;
    }

    private void tellCancelled() {
        try {
            task.cancelled(this);
        } catch (Throwable failure) {
            timer.warn("threw when told that it was cancelled", task, failure);
        }
    }

    /** Cancels it and tells nobody. */
    boolean takeBack() {
        return end(CANCELLED);
    }

    /** Whether this call ended it. */
    private boolean end(int how) {
        for (; ; ) {
            int before = state;
            if (before >= EXPIRED) {
                return false;
            }
            if (STATE.compareAndSet(this, before, how)) {
                if (before == WAITING) {
                    release();
                }
                timer.ended();
                return true;
            }
        }
    }

    @Override
    public String toString() {
        String when;
        if (isExpired()) {
            when = "expired";
        } else if (isCancelled()) {
            when = "cancelled";
        } else {
            long nanos = Deadline.remaining(deadlineNanos, timer.nowNanos());
            when = "due in " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
        }
        return "timeout " + when + ", task " + task;
    }

    // --- the turning thread ---

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire(long nowNanos) {
        if (end(EXPIRED)) {
            try {
                timer.taskExecutor().execute(this);
            } catch (Throwable refusal) {
                timer.warn("was refused by its executor and will not run", task, refusal);
            }
        }
    }

    // --- the executor ---

    @Override
    public void run() {
        try {
            task.run(this);
        } catch (Throwable failure) {
            timer.warn("threw", task, failure);
        }
    }
}
