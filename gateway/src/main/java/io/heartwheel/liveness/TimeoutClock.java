package io.heartwheel.liveness;

/** Says when a timeout is over. */
interface TimeoutClock {
    /** Every timeout runs all the time. */
    TimeoutClock PLAIN = Long::sum;

    /**
     * @param fromNanos when it began
     * @param timeoutNanos how long it runs
     */
    long dueNanos(long fromNanos, long timeoutNanos);
}
