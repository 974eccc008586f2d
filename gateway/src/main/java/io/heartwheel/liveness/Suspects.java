package io.heartwheel.liveness;

import io.heartwheel.liveness.LivenessObserver.SuspectOutcome;

/** Suspects of a mass expiry, counted. Any thread. */
public interface Suspects {
    /** How long a suspect may take to answer, nanoseconds. */
    long patienceNanos();

    /** There is one more. */
    void suspected();

    /**
     * There is one less.
     *
     * @param heldNanos how long it was suspect
     */
    void settled(SuspectOutcome outcome, long heldNanos);
}
