package io.heartwheel.presence;

/** Work that is done in steps, by one thread. */
interface Step {
    /** Stands for: nothing to do until told. */
    long IDLE_NANOS = Long.MAX_VALUE;

    /**
     * Does what may be done now.
     *
     * @param nowNanos monotonic nanoseconds
     * @return in how many nanoseconds there is more to do, 1 or more; {@link #IDLE_NANOS}: not until told
     */
    long step(long nowNanos);
}
