package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.util.concurrent.TimeUnit;

/** Two gateways, sessions without channels, and an engine that comes and goes in virtual time. */
abstract class TwoGateways {
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    static final long PATIENCE = MemoryGateway.PATIENCE_NANOS;

    final MemoryFleet fleet = new MemoryFleet(1);
    long sessions;

    /** A gateway of the fleet. */
    final class Node {
        final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        final SessionRegistry local;
        final MemoryGateway part;
        final NodeId id;
        final ClusterCounts counts;
        final ClusterDirectory directory;

        Node(String name, long wallMicros, OnOutage onOutage) {
            local = new SessionRegistry(fleet::now, () -> wallMicros + fleet.now() / 1_000, 0);
            part = new MemoryGateway(fleet, name, local, onOutage, gateway.sessionContext.sink());
            id = part.id;
            counts = part.counts;
            directory = part.directory;
        }

        FakeSession connect(String device) {
            return new FakeSession(FakeSession.claimingFrom(directory, gateway.sessionContext))
                    .accept(++sessions)
                    .hello(device, "");
        }

        CloseReason lastReason() {
            return gateway.evidence.get(gateway.evidence.size() - 1).reason();
        }
    }

    Node a = new Node("a", 5_000_000, OnOutage.LOCAL);
    Node b = new Node("b", 9_000_000, OnOutage.LOCAL);

    void pass(long nanos) {
        for (long passed = 0; passed < nanos; passed += SECOND / 10) {
            fleet.pass(SECOND / 10);
            a.part.turn();
            b.part.turn();
        }
    }

    void passWithoutA(long nanos) {
        for (long passed = 0; passed < nanos; passed += SECOND / 10) {
            fleet.pass(SECOND / 10);
            b.part.turn();
        }
    }

    void refusing() {
        a = new Node("a2", 5_000_000, OnOutage.REFUSE);
    }
}
