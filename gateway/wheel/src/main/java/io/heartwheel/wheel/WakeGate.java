package io.heartwheel.wheel;

import static java.lang.invoke.MethodHandles.lookup;

import java.lang.invoke.VarHandle;

/**
 * Gate at which the turning thread sleeps until its next deadline; owners wake it when they arm an earlier one.
 *
 * <h2>Concurrency</h2>
 *
 * Callers: {@link #sleepUntil} and {@link #awake} by the turning thread; the others by any.
 *
 * <p>Fields: {@code sleepsUntil}, volatile; written by the turning thread, and once for each sleep, by compare-and-set, by the owner that wakes
 * it.
 *
 * <p>Order. An owner marks its cell and then reads {@code sleepsUntil}; the turning thread writes {@code sleepsUntil} and then looks for marks.
 * All four are sequentially consistent, so one of them sees the other's, and no deadline is slept through (jcstress: {@code
 * EarlierDeadlineWakesSleeperStress}).
 */
final class WakeGate {

    /** The turning thread is awake or wakes at the next tick anyway. */
    private static final long AWAKE = Deadline.NO_DEADLINE;

    private static final VarHandle SLEEPS_UNTIL = WheelEntry.field(lookup(), "sleepsUntil", long.class);

    private volatile long sleepsUntil = AWAKE;
    private volatile Runnable waker = () -> {};

    /** Who is to be woken. */
    void wakeBy(Runnable newWaker) {
        waker = newWaker;
    }

    /** From now on a deadline at or before {@code nanos} wakes. */
    void sleepUntil(long nanos) {
        sleepsUntil = nanos == AWAKE ? nanos + 1 : nanos;
    }

    /** From now on nothing needs to wake. */
    void awake() {
        if (sleepsUntil != AWAKE) {
            sleepsUntil = AWAKE;
        }
    }

    /** Wakes the sleeper if it would sleep past this deadline. Costs one volatile read when it would not. */
    void wakeFor(long deadlineNanos) {
        long until = sleepsUntil;
        if (until != AWAKE && deadlineNanos - until <= 0) {
            wake(until);
        }
    }

    /** Wakes the sleeper if it sleeps. */
    void wake() {
        long until = sleepsUntil;
        if (until != AWAKE) {
            wake(until);
        }
    }

    private void wake(long until) {
        if (SLEEPS_UNTIL.compareAndSet(this, until, AWAKE)) {
            waker.run();
        }
    }
}
