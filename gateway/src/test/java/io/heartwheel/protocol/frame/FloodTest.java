package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A peer above its rate limits is not read for a while; one that continues is closed. */
class FloodTest {
    private static final int RATE = 100;
    private static final int BURST = 200;
    private static final RateLimits LIMITS =
            new RateLimits(true, RATE, 1 << 20, Duration.ofSeconds(2), Duration.ofSeconds(10));

    private final VirtualGateway gateway = new VirtualGateway(-5_000_000_000L, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(
            gateway,
            gateway.sessionContext.through(
                    0, "tcp", new LivenessPolicy(LivenessSettings.defaults(), LIMITS), AuthPolicy.ANYBODY),
            "a");

    FloodTest() {
        device.channel.freezeTime();
        device.hello(5_000);
    }

    @AfterEach
    void release() {
        device.channel.finishAndReleaseAll();
    }

    private boolean isRead() {
        return device.channel.config().isAutoRead();
    }

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 10) {
            gateway.pass(Duration.ofMillis(10));
            device.channel.advanceTimeBy(10, TimeUnit.MILLISECONDS);
            device.channel.runScheduledPendingTasks();
            device.channel.runPendingTasks();
        }
    }

    @Test
    void frames_moreThanABurst_waitAndAreTakenAtTheRate() {
        device.channel.writeInbound(FrameDevice.pings(1_000));
        long atOnce = device.pingsTaken();
        assertTrue(atOnce >= BURST - 1 && atOnce <= BURST + 1, "at once " + atOnce);
        assertFalse(isRead());
        assertEquals(1, gateway.ratePauses);
        for (int second = 1; second <= 7; second++) {
            pass(Duration.ofSeconds(1));
            long most = atOnce + (long) second * RATE + 10;
            assertTrue(
                    device.pingsTaken() <= most && device.pingsTaken() >= most - 30,
                    device.pingsTaken() + " after " + second + " s");
        }
        pass(Duration.ofSeconds(2));
        assertEquals(1_000, device.pingsTaken());
        assertTrue(isRead());
        assertTrue(device.isOpen());
    }

    @Test
    void frames_oneByOneInTheirTime_areNeverHeldUp() {
        for (int i = 0; i < 2_000; i++) {
            device.ping();
            pass(Duration.ofMillis(10));
        }
        assertEquals(0, gateway.ratePauses);
        assertTrue(isRead());
    }

    @Test
    void flood_goingOn_isClosedWithItsOwnCode() {
        device.channel.writeInbound(FrameDevice.pings(BURST + 1));
        for (int i = 0; i < 99; i++) {
            if (isRead()) {
                device.channel.writeInbound(FrameDevice.pings(100));
            }
            pass(Duration.ofMillis(100));
            assertTrue(device.isOpen());
        }
        while (device.isOpen() && gateway.now() < 7_000_000_000L) {
            if (isRead()) {
                device.channel.writeInbound(FrameDevice.pings(100));
            }
            pass(Duration.ofMillis(100));
        }
        assertFalse(device.isOpen());
        assertEquals(CloseReason.RATE_EXCEEDED, gateway.closed.get(0).reason());
        assertEquals("106d", device.lastHexOut().substring(8, 12), "4205");
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
    }

    @Test
    void flood_thenSilence_isFoundDeadAsSoonAsItsFramesAreTaken() {
        device.channel.writeInbound(FrameDevice.pings(BURST + 50));
        pass(Duration.ofMillis(7_500));
        assertTrue(device.isOpen());
        pass(Duration.ofMillis(700));
        assertFalse(device.isOpen());
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, gateway.closed.get(0).reason());
    }

    @Test
    void beats_afterAFlood_areUncounted() {
        device.channel.writeInbound(FrameDevice.pings(BURST - 1));
        pass(Duration.ofSeconds(4));
        for (int i = 0; i < 3; i++) {
            device.ping();
            pass(Duration.ofSeconds(4));
        }
        device.channel.writeInbound(FrameDevice.pings(BURST - 1));
        assertEquals(0, gateway.ratePauses);
    }
}
