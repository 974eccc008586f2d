package io.heartwheel.cluster;

import java.util.function.Consumer;

/** Port to who is there: what gateways tell all others of themselves. Any thread; nothing blocks. */
public interface Membership {
    /** Tells it all gateways of the fleet, this one too. Nothing while nobody can be told; it may be lost. */
    void announce(NodeStatus status);

    /**
     * Hears what gateways tell. Once, before anything is told.
     *
     * @param listener on a thread of the engine; quick, never throws
     */
    void hear(Consumer<NodeStatus> listener);
}
