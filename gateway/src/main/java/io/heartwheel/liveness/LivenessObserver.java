package io.heartwheel.liveness;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Incident;
import java.util.Locale;

/** Observer of probes, stalls, verdicts and mass expiries. Called on event loops: never blocks, never throws. */
public interface LivenessObserver {
    /** Outcome of a connection that the shadow policy would have closed. */
    enum ShadowOutcome {
        /** It spoke, finished or moved after all: the shadow would have killed a living peer. */
        SPOKE,
        /** The policy in force closed it later: the shadow would have been right, and sooner. */
        CLOSED,
        /** It ended for a reason that says nothing either way. */
        LEFT;

        /** Lower-case name in metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Outcome of a suspect of the breaker. */
    enum SuspectOutcome {
        /** It spoke in time. */
        CLEARED("absolved"),
        /** It stayed silent and was closed at its turn. */
        CLOSED("closed"),
        /** It ended for another reason. */
        LEFT("left");

        private final String label;

        SuspectOutcome(String label) {
            this.label = label;
        }

        /** Lower-case name in metrics. */
        public String label() {
            return label;
        }
    }

    /** A silent device was probed. */
    default void probed() {}

    /** A sign of life was sent to keep the path open. */
    default void keptAlive() {}

    /** The gateway stopped reading from a peer that does not drain. */
    default void readingPaused() {}

    /** A connection was found due, and its frames lay unread in the socket: it lives. */
    default void reprieved() {}

    /**
     * A connection was found due but for the credit for our stalls: it lives on.
     *
     * @param creditNanos by which its deadline moved
     */
    default void credited(long creditNanos) {}

    /**
     * A loop had not turned for so long.
     *
     * @param loop its index
     * @param nanos more than the threshold
     */
    default void stalled(int loop, long nanos) {}

    /**
     * A loop has judged all that the wheel had found due so far. Closes that came of it were told before.
     *
     * @param loop its index
     * @param lookedAt how many, 1 or more
     * @param tookNanos from the first that was found due until now, 0 or more
     */
    default void judged(int loop, int lookedAt, long tookNanos) {}

    /** A connection became suspect in a mass expiry. */
    default void suspected() {}

    /**
     * A suspect is none any more.
     *
     * @param heldNanos for so long it was one
     */
    default void suspectSettled(SuspectOutcome outcome, long heldNanos) {}

    /** The breaker tripped, or an incident is over. */
    default void incident(Incident incident) {}

    /** The shadow policy would have closed this connection. */
    default void shadowed(DeadlineKind kind) {}

    /**
     * What became of it.
     *
     * @param kind the deadline of the shadow that had passed
     * @param nanosAfter how long after the shadow's deadline
     * @param deviceId of the connection
     */
    default void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {}
}
