package io.heartwheel.liveness;

/** Clock of a timeout: says when it is over. */
interface TimeoutClock {
    /** Every timeout runs all the time. */
    TimeoutClock PLAIN = Long::sum;

    /**
     * @param fromNanos when it began
     * @param timeoutNanos how long it runs
     */
    long dueNanos(long fromNanos, long timeoutNanos);
}
