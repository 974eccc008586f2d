package io.heartwheel.cluster;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** Port to the question who is there. Any thread; nothing blocks. */
public interface Membership {
    /**
     * The gateways that answer within half a second, this one among them, in order of name and incarnation; at most 1,000.
     *
     * @return fails with an {@link EngineException} as the cause if nobody can be asked
     */
    CompletionStage<List<NodeStatus>> live();

    /**
     * What this node says of itself. Once, before anything is asked.
     *
     * @param devices connected now; any thread
     */
    void announce(LongSupplier devices);
}
