package io.heartwheel.wheel;

/**
 * Observer of a wheel. Called on the thread that turns the wheel, with primitives, so that nothing is allocated.
 * It must be quick and must not block. What it throws is counted as a failure and goes no further.
 */
public interface WheelObserver {

    /** Watches nothing. */
    WheelObserver NONE = new WheelObserver() {};

    /**
     * One advance that met entries is over; not called for one that met none.
     *
     * @param expired entries that expired, 0 or more
     * @param moved entries filed again because their deadline had moved later, 0 or more
     * @param lagNanos how far the time was past the oldest tick that had to be worked off, in nanoseconds; less than one tick when the wheel is
     *     turned on time
     */
    default void turned(int expired, int moved, long lagNanos) {}

    /**
     * A {@link Timed} threw. It was disarmed before.
     *
     * @param timed the entry that threw
     * @param failure what it threw
     */
    default void failed(Timed timed, Throwable failure) {}

    /**
     * The turning itself threw, or the clock it goes by. Nothing that is armed is lost: the thread goes on with it after a tick.
     *
     * @param failure what was thrown; may be an {@code Error}
     */
    default void turnFailed(Throwable failure) {}
}
