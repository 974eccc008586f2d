package io.heartwheel.session;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.event.TlsFailure;
import java.util.List;

/** Told of what is rare in a connection's life; frames are counted in {@link LoopStats}. Called on event loops: never blocks, never throws. */
public interface SessionObserver {
    /** Sees nothing. */
    SessionObserver NONE = new SessionObserver() {};

    /** What became of a session that the shadow policy would have closed. */
    enum ShadowOutcome {
        /** It spoke, finished or moved after all: the shadow would have killed a living peer. */
        SPOKE("spoke"),
        /** The policy in force closed it later: the shadow would have been right, and sooner. */
        CLOSED("closed"),
        /** It ended for a reason that says nothing either way. */
        LEFT("left");

        private final String label;

        ShadowOutcome(String label) {
            this.label = label;
        }

        /** Lower-case name in metrics. */
        public String label() {
            return label;
        }
    }

    /** What became of a suspect of the breaker. */
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

    /** Tells all of them, in order. */
    static SessionObserver all(SessionObserver... observers) {
        return new SessionObservers(List.of(observers));
    }

    /**
     * TLS was agreed on.
     *
     * @param version {@code 1.2} or {@code 1.3}
     * @param resumed whether an earlier session went on, so that no certificate was shown and no key used
     * @param nanos since the connection was accepted
     */
    default void secured(String version, boolean resumed, long nanos) {}

    /** TLS was not agreed on, or broke later. The close follows. */
    default void tlsFailed(TlsFailure failure) {}

    /**
     * A session was established.
     *
     * @param protocol {@code heartwheel}, {@code heartwheel.v1} or {@code plain}
     */
    default void established(String protocol) {}

    /**
     * A connection has ended: once for each connection, also for one that was turned away as it came.
     *
     * @param close all that is known of it; its reason is never null
     */
    default void closed(Evidence close) {}

    /** A connection was chosen to be traced. */
    default void traced() {}

    /** A silent device was asked. */
    default void probed() {}

    /** A sign of life was sent to keep the path open. */
    default void keptAlive() {}

    /** A connection took a device id from another one. */
    default void tookOver() {}

    /** The gateway stopped reading from a peer that does not drain. */
    default void readingPaused() {}

    /** The gateway stopped reading from a peer that sends faster than it may. */
    default void rateLimited() {}

    /** A session was found due, and its frames lay unread in the socket: it lives. */
    default void reprieved() {}

    /**
     * A session was found due but for the credit for our stalls: it lives on.
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

    /** A session became suspect in a mass expiry. */
    default void suspected() {}

    /**
     * A suspect is none any more.
     *
     * @param heldNanos for so long it was one
     */
    default void suspectSettled(SuspectOutcome outcome, long heldNanos) {}

    /** The breaker tripped, or an incident is over. */
    default void incident(Incident incident) {}

    /** The shadow policy would have closed this session. */
    default void shadowed(DeadlineKind kind) {}

    /**
     * What became of it.
     *
     * @param kind the deadline of the shadow that had passed
     * @param nanosAfter how long after the shadow's deadline
     * @param session whose
     */
    default void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, Session session) {}
}
