package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import java.util.concurrent.CompletionStage;

/** The contract in memory and virtual time. */
abstract class MemoryContract extends ClusterContract {
    protected final long seed = Long.getLong("test.seed", 1);
    protected final MemoryFleet fleet = new MemoryFleet(seed);

    @Override
    protected final Engine join(NodeId node) {
        return fleet.join(node);
    }

    @Override
    protected final <T> T get(CompletionStage<T> answer) {
        return fleet.await(answer);
    }

    @Override
    protected final RaceTrial trial() throws Exception {
        return new RaceTrial(new MemoryPlace(fleet), 8, 300, 0.05, seed);
    }
}
