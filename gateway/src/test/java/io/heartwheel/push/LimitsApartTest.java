package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Messages with store=1 and those without count apart. */
class LimitsApartTest {
    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private final PushWorld world = new PushWorld(1, database, 1_000_000_000_000_000L);

    @Test
    void push_aRowWaits_aSingleLargeOneIsTaken() {
        world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        int bytes = (int) PushSettings.DEFAULTS.bytesPerDevice() + 1;
        CompletableFuture<PushResult> large = world.push(new Push(
                PushWorld.DEVICE,
                2,
                true,
                new byte[bytes],
                Push.Ack.DEVICE,
                false,
                Duration.ofHours(1).toNanos(),
                false));
        assertFalse(large.isDone(), () -> "it waits alone for its ACK: " + large.join());
    }

    @Test
    void push_aRowWaits_asManyAsMayBeAreTaken() {
        FakeSession device = world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        for (int i = 1; i <= PushSettings.DEFAULTS.perDevice(); i++) {
            CompletableFuture<PushResult> push = world.push(Push.Ack.DEVICE, 1 + i);
            int number = i;
            assertFalse(push.isDone(), () -> "number " + number + ": " + push.join());
        }
        assertTrue(device.data.size() > 1);
    }
}
