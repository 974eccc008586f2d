package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.EventSink;
import io.heartwheel.session.SessionRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Gateways of a fleet whose time is the test's, and whose engine's answers come where they come. */
final class TestNodes {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final int SWEEP_RATE = 1_000;

    private TestNodes() {}

    static ClusterNode node(
            NodeId id,
            Engine engine,
            SessionRegistry local,
            OnOutage onOutage,
            LongSupplier nanoClock,
            EventSink sink,
            ClusterCounts counts) {
        ClusterSettings settings =
                new ClusterSettings("fleet", id.name(), List.of("nats://h:1"), null, 1, onOutage, SWEEP_RATE);
        return new ClusterNode(
                settings,
                id,
                engine,
                local,
                PATIENCE_NANOS,
                Runnable::run,
                Runnable::run,
                sink,
                nanoClock,
                () -> TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong()),
                counts);
    }
}
