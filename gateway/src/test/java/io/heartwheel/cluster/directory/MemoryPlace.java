package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Trials in memory and virtual time. */
class MemoryPlace implements RaceTrial.Place {
    private final MemoryFleet fleet;

    MemoryPlace(MemoryFleet fleet) {
        this.fleet = fleet;
    }

    @Override
    public Engine join(NodeId node) {
        return fleet.join(node);
    }

    @Override
    public void run(Runnable task) {
        task.run();
    }

    @Override
    public void settle(boolean fully) {
        fleet.pass(fully ? TimeUnit.MILLISECONDS.toNanos(2_100) : fleet.mostDelayNanos);
    }

    @Override
    public long nanoTime() {
        return fleet.now();
    }

    @Override
    public <T> T get(CompletionStage<T> answer) {
        return fleet.await(answer);
    }

    @Override
    public void close() {}
}
