package io.heartwheel.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.Snapshot;
import io.heartwheel.event.Snapshot.Cause;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PresenceThreadTest {
    @Test
    void ask_whileItSleeps_wakesIt() throws Exception {
        VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
        Published sink = new Published();
        sink.device(gateway, 1, "d", Runnable::run);
        sink.facts.clear();
        CountDownLatch ended = new CountDownLatch(1);
        sink.listener = fact -> {
            if (fact instanceof Snapshot snapshot && snapshot.ended()) {
                ended.countDown();
            }
        };
        Snapshots snapshots = new Snapshots(
                gateway.registry, sink, new PresenceSettings(Duration.ZERO, 1_000_000), System::nanoTime, () -> 1_000);
        ThreadProgress progress = new ThreadProgress("presence");
        try (PresenceThread thread = PresenceThread.start(System::nanoTime, progress, snapshots, null)) {
            assertNull(progress.thread(), "nobody has asked");
            snapshots.ask(Cause.ASKED);
            assertTrue(ended.await(20, TimeUnit.SECONDS));
        }
        assertEquals(
                List.of("snapshot", "present", "snapshot"),
                sink.facts.stream().map(fact -> fact.kind().label()).toList());
    }
}
