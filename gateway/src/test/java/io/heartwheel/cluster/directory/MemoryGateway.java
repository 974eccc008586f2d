package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.EventSink;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.session.SessionRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A gateway's part in a fleet in memory and virtual time. One thread. */
public final class MemoryGateway {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final int SWEEP_RATE = 1_000;

    public final NodeId id;
    public final ClusterCounts counts = new ClusterCounts();
    public final Engine engine;
    public final ClusterDirectory directory;
    public final Fleet fleet;
    final ClusterNode node;

    /** @param local of this gateway */
    public MemoryGateway(MemoryFleet memory, String name, SessionRegistry local, OnOutage onOutage, EventSink sink) {
        this(memory, name, local, onOutage, sink, UnaryOperator.identity());
    }

    /** @param fault of its engine */
    public MemoryGateway(
            MemoryFleet memory,
            String name,
            SessionRegistry local,
            OnOutage onOutage,
            EventSink sink,
            UnaryOperator<Engine> fault) {
        this.id = new NodeId(name, 1 + memory.now());
        this.engine = fault.apply(memory.join(id));
        this.node = node(memory, id, engine, local, onOutage, sink, counts);
        this.directory = node.directory;
        this.fleet = node.fleet;
        node.watch.turn(memory.now());
    }

    /** As its thread does ten times a second. */
    public void turn() {
        node.turn();
    }

    /** What it tells the others that it takes, connections a second. */
    public void admits(int perSecond) {
        node.admits = () -> perSecond;
    }

    /** It ends in order. */
    public void leave() {
        node.own.leave(true);
    }

    static ClusterNode node(
            MemoryFleet memory,
            NodeId id,
            Engine engine,
            SessionRegistry local,
            OnOutage onOutage,
            EventSink sink,
            ClusterCounts counts) {
        NatsServers nowhere = new NatsServers(List.of(), null, null, null, null);
        ClusterSettings settings = new ClusterSettings("fleet", id.name(), "", nowhere, 1, 1, onOutage, SWEEP_RATE);
        return new ClusterNode(
                settings,
                id,
                engine,
                local,
                PATIENCE_NANOS,
                Runnable::run,
                Runnable::run,
                call -> memory.calls.execute(call),
                sink,
                memory::now,
                () -> TimeUnit.NANOSECONDS.toMillis(memory.now()),
                counts);
    }
}
