package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.session.SessionRegistry;
import java.util.concurrent.TimeUnit;

/** A gateway's part in a fleet in memory and virtual time. One thread. */
public final class MemoryGateway {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    public final NodeId id;
    public final ClusterCounts counts = new ClusterCounts();
    public final Engine engine;
    public final SessionRegistry local;
    public final ClusterDirectory directory;
    public final Fleet fleet;
    private final MemoryFleet memory;
    private final EngineWatch watch;
    private final Sweep sweep;

    /** @param local of this gateway */
    public MemoryGateway(MemoryFleet memory, String name, SessionRegistry local, OnOutage onOutage) {
        this.memory = memory;
        this.local = local;
        id = new NodeId(name, 1);
        engine = memory.join(id);
        watch = new EngineWatch(engine.health(), memory.now(), Runnable::run);
        directory = new ClusterDirectory(
                local, engine, id, watch, onOutage, PATIENCE_NANOS, Runnable::run, memory::now, counts);
        fleet = new Fleet(id, engine, watch, directory, Runnable::run, memory::now, counts);
        sweep = new Sweep(local, directory, 1_000, memory.now());
        watch.turn(memory.now());
    }

    /** As its thread does ten times a second. */
    public void turn() {
        if (watch.turn(memory.now())) {
            sweep.beginSoon(memory.now());
        }
        directory.turn(memory.now());
        if (!watch.isDown()) {
            sweep.turn(memory.now());
        }
    }
}
