package io.heartwheel.backend;

/**
 * How long a writer lets the events of a burst gather before it writes them: a mass expiry or a connect storm has the processors to itself meanwhile, and one
 * wake-up and one write do for many.
 *
 * <pre>
 *   written --less than a step--&gt; more has come: a step --a burst of it came in that--&gt; another one, and so on, half a second at most
 *        \--a step or more-----&gt; more has come: written at once
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

    /**
     * Something waits to be written.
     *
     * @param sinceWrittenNanos how long ago the writer wrote last
     * @param count events that wait
     * @return whether it waits for a step
     */
    boolean begins(long sinceWrittenNanos, int count) {
        steps = 1;
        before = count;
        return sinceWrittenNanos < STEP_NANOS;
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
