package io.heartwheel.app;

import io.heartwheel.admin.AdminPorts;
import io.heartwheel.admin.FleetApi;
import io.heartwheel.admin.MessageMoves;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.directory.Cluster;
import io.heartwheel.cluster.nats.NatsEngine;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.event.EventSink;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.transport.AcceptLimitSettings;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Start of this gateway's part in its fleet. By whoever starts the gateway. */
final class ClusterStart {
    private ClusterStart() {}

    /**
     * Opens it before the transport, so that it is closed behind it: connections that end give their ids back.
     *
     * @param parts whoever closes what is opened here
     * @return null if there is none
     * @throws IOException if a file for NATS cannot be used; whether NATS is there is no matter
     */
    static @Nullable Cluster open(
            OpenParts parts, GatewaySettings settings, SessionRegistry registry, GatewayMetrics metrics, EventSink sink)
            throws IOException {
        ClusterSettings fleet = settings.cluster();
        if (fleet == null) {
            return null;
        }
        NodeId node = new NodeId(fleet.node(), Messaging.wallMicros());
        long handshakeNanos = settings.liveness().handshake().timeout().toNanos();
        Cluster opened = parts.add(
                "cluster",
                new Cluster(fleet, node, new NatsEngine(fleet, node).engine(), registry, handshakeNanos, sink));
        metrics.watchCluster(
                opened.counts(), opened::isReachable, () -> opened.directory().pending(), opened::nodesThere);
        return opened;
    }

    /**
     * Answers the other gateways from now on, and tells them how many connections a second this one takes.
     *
     * @param settings that hold now
     * @param ready whether it takes any; quick
     */
    static void serve(Cluster cluster, AdminPorts admin, Supplier<GatewaySettings> settings, BooleanSupplier ready) {
        cluster.fleet().serve(new FleetApi(admin));
        MessageMoves.begin(admin);
        cluster.admits(() -> ready.getAsBoolean() ? admitPerSecond(settings.get()) : 0);
    }

    static int admitPerSecond(GatewaySettings settings) {
        AcceptLimitSettings limit = settings.admission().accepts();
        return limit == null ? settings.drain().ownRate() : limit.perSecond();
    }
}
