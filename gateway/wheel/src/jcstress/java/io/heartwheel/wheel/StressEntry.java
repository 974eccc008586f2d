package io.heartwheel.wheel;

/** An entry that answers what was stored and counts its expiries. */
final class StressEntry implements Timed {

    volatile long deadlineNanos;
    /** Written on the turning thread. */
    int expired;

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire(long nowNanos) {
        expired++;
    }
}
