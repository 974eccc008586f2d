package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeAll;

/** The contract in memory and virtual time. */
abstract class MemoryContract extends ClusterContract {
    protected static final long SEED = Long.getLong("test.seed", System.nanoTime());
    protected final MemoryFleet fleet = new MemoryFleet(SEED);

    @BeforeAll
    static void tellSeed() {
        System.out.println("test.seed = " + SEED);
    }

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
        return new RaceTrial(new MemoryPlace(fleet), 8, 300, 0.05, SEED);
    }
}
