package io.heartwheel.session;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.liveness.LivenessObserver;
import java.util.List;

/** Observer of what is rare in a connection's life; frames are counted in {@link LoopStats}. Called on event loops: never blocks, never throws. */
public interface SessionObserver extends LivenessObserver {
    /** Sees nothing. */
    SessionObserver NONE = new SessionObserver() {};

    /** Tells all of them, in order. */
    static SessionObserver all(List<SessionObserver> observers) {
        return new SessionObservers(List.copyOf(observers));
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
     * @param protocol {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1} or {@code plain}
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

    /** A connection took a device id from another one. */
    default void tookOver() {}

    /** Two connections take one device id from each other again and again: once when it begins. */
    default void idConflict(ConnectionEvent.IdConflict conflict) {}

    /** The gateway stopped reading from a peer that sends faster than it may. */
    default void rateLimited() {}
}
