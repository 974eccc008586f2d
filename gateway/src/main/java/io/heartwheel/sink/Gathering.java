package io.heartwheel.sink;

/**
 * Pause in which the events of a burst gather before they are written: a mass expiry or a connect storm has the processors to itself meanwhile, and one
 * wake-up and one write do for many.
 *
 * <pre>
 *   fewer than a burst in a step --> written at once
 *   a burst in a step            --> waits for a step --a burst more came in that--> another one, and so on, half a second at most
 * </pre>
 *
 * <p>Sees no clock. The writer's alone.
 */
final class Gathering {
    /** One step, nanoseconds. */
    static final long STEP_NANOS = 10_000_000L;

    /** Steps at most. */
    static final int MOST_STEPS = 50;

    /** Events in a step that make it a burst. */
    static final int BURST = 64;

    private int steps;
    private int before;
    private long sinceNanos;
    /** Events that came to the writer since then. */
    private int came;

    /** Nothing has come by now. */
    Gathering(long nowNanos) {
        sinceNanos = nowNanos;
    }

    /**
     * Something waits to be written.
     *
     * @param count events that wait; none of them was told of before
     * @return whether it waits for a step
     */
    boolean begins(long nowNanos, int count) {
        if (nowNanos - sinceNanos >= STEP_NANOS) {
            sinceNanos = nowNanos;
            came = 0;
        }
        came += count;
        steps = 1;
        before = count;
        return came >= BURST;
    }

    /**
     * A step is over.
     *
     * @param count events that wait now
     * @return whether it waits for another one
     */
    boolean goesOn(int count) {
        boolean burst = count - before >= BURST;
        before = count;
        steps++;
        return burst && steps <= MOST_STEPS;
    }
}
