package io.heartwheel.app;

import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.directory.Cluster;
import io.heartwheel.cluster.nats.NatsEngine;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.SessionRegistry;
import java.io.IOException;
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
            OpenParts parts, GatewaySettings settings, SessionRegistry registry, GatewayMetrics metrics)
            throws IOException {
        ClusterSettings fleet = settings.cluster();
        if (fleet == null) {
            return null;
        }
        NodeId node = new NodeId(fleet.node(), Messaging.wallMicros());
        long handshakeNanos = settings.liveness().handshake().timeout().toNanos();
        Cluster opened = parts.add(
                "cluster", new Cluster(fleet, node, new NatsEngine(fleet, node).engine(), registry, handshakeNanos));
        metrics.watchCluster(
                opened.counts(), opened::isReachable, () -> opened.directory().pending());
        return opened;
    }
}
