package io.heartwheel.admin;

import io.heartwheel.fuzz.Delivery;
import io.heartwheel.fuzz.Octets;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Any bytes to the admin listener: none of them is a fault of ours, and nothing is left behind. */
public final class AdminFuzz {
    private static final VirtualGateway GATEWAY = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private static final Routes ROUTES = Routes.of(new AdminPorts(
            GATEWAY.registry,
            new GatewayMetrics("0", "epoll"),
            List::of,
            List::of,
            () -> new GatewayInfo("0", 1, "epoll", 1, true, List.of(), new GatewayInfo.Connections(0, 1, 0)),
            new Diagnostics(
                    new RecentCloses(EvidenceSettings.DEFAULTS), GATEWAY.breaker, new RecentIncidents(), () -> null),
            new FakeDrains(),
            new Snapshots(
                    GATEWAY.registry,
                    GATEWAY.sessionContext.sink(),
                    PresenceSettings.DEFAULTS,
                    GATEWAY::now,
                    GATEWAY::now),
            GATEWAY.pushes,
            groups(),
            AdminFixture.schedules(),
            Outlets.NONE,
            () -> 1_000,
            () -> ReloadReport.applied(List.of(), List.of()),
            GATEWAY::now,
            null));

    private AdminFuzz() {}

    private static GroupPorts groups() {
        GroupMembers members = new GroupMembers(GATEWAY.registry, null, 100);
        Jobs jobs = new Jobs(
                members,
                GATEWAY.registry,
                GATEWAY.pushes,
                GATEWAY.timers,
                Runnable::run,
                GATEWAY::now,
                GATEWAY::now,
                JobSettings.DEFAULTS);
        return new GroupPorts(members, jobs, () -> Duration.ofDays(7), null);
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Octets octets = new Octets(input);
        int seed = octets.next();
        byte[] stream = octets.rest();
        Delivery delivery = new Delivery();
        delivery.channel().config().setAutoRead(false);
        AdminSlots slots = new AdminSlots(new GatewayMetrics("0", "epoll").admin(), System::nanoTime);
        AdminServer.install(
                delivery.channel(),
                new ConnectionClock(slots, delivery.channel()),
                1_024,
                new Exchange.Served(ROUTES, () -> AdminHosts.ANY, () -> AdminAccess.OPEN, status -> {}));
        delivery.channel().pipeline().fireChannelActive();
        if (seed == 0) {
            delivery.whole(stream);
        } else {
            delivery.split(stream, seed);
        }
        delivery.channel().runPendingTasks();
        String out = new String(delivery.end(), StandardCharsets.ISO_8859_1);
        if (out.contains("HTTP/1.1 500 ") || !(out.isEmpty() || out.startsWith("HTTP/1.1 "))) {
            throw new AssertionError(out);
        }
    }
}
