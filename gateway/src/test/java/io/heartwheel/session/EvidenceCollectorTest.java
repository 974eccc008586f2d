package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.DefaultsBut;
import io.heartwheel.liveness.LivenessSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Evidence of a closed session, and of an open one. Heartbeat 60 s x 1.5, tick 20 ms. */
class EvidenceCollectorTest {
    private VirtualGateway gateway = new VirtualGateway(Long.MAX_VALUE - 70_000_000_000L, LivenessSettings.defaults());

    private FakeSession device(String id, long wantedMillis) {
        FakeSession device = new FakeSession(gateway.sessionContext).accept(7);
        device.frame(1);
        device.hello(id.getBytes(StandardCharsets.UTF_8), new byte[0], wantedMillis, 0, "acme", false);
        return device;
    }

    private Evidence last() {
        return gateway.evidence.get(gateway.evidence.size() - 1);
    }

    private static Evidence.Limit limit(Evidence evidence) {
        return Objects.requireNonNull(evidence.limit());
    }

    @Test
    void silence_leavesDeadlineProbeAndLateness() {
        FakeSession device = device("d1", 30_000);
        gateway.pass(Duration.ofSeconds(10));
        device.beat();
        device.frameIn(3);
        gateway.pass(Duration.ofSeconds(50));

        Evidence found = last();
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, found.reason());
        assertEquals("d1", found.identity().deviceId());
        assertTrue(found.established());
        assertEquals(DeadlineKind.HEARTBEAT, limit(found).kind());
        assertEquals(DeadlineOrigin.ASKED, limit(found).origin());
        assertEquals(45_000, limit(found).timeoutMillis());
        assertEquals(30_000, limit(found).intervalMillis());
        assertEquals(150, limit(found).graceHundredths());
        assertTrue(limit(found).dueMillis() <= 0);
        assertEquals("type 3", found.traffic().lastFrameIn());
        assertEquals(45_000, found.traffic().lastFrameInMillisAgo(), 20);
        assertEquals(1, found.probes().sent());
        assertEquals(0, found.probes().answered());
        assertEquals(10_750, found.probes().unansweredMillisAgo(), 520, "asked in the second after 33.75 s");
        assertTrue(found.timing().latenessMicros() <= 20_000);
        assertTrue(found.timing().actualTick() - found.timing().scheduledTick() <= 1);
        assertEquals(0, found.timing().creditMillis());
        Disconnected event = (Disconnected) gateway.events.get(gateway.events.size() - 1);
        assertEquals(found, event.evidence());
    }

    @Test
    void stall_isCreditedAndTold() {
        device("d1", 30_000);
        gateway.pass(Duration.ofSeconds(40));
        gateway.stall(Duration.ofSeconds(20));
        gateway.turn();
        assertEquals(0, gateway.evidence.size(), "due at 45 s, but 20 s were ours");
        assertEquals(1, gateway.credits.size(), "credit alone keeps it");
        assertEquals(20_000, TimeUnit.NANOSECONDS.toMillis(gateway.credits.get(0)), 100);
        gateway.pass(Duration.ofSeconds(4));
        assertEquals(0, gateway.evidence.size());
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(20_000, last().timing().creditMillis(), 100);
        assertEquals(1, gateway.credits.size());
        assertTrue(last().timing().latenessMicros() <= 20_000, "late by a tick, credit counted");
    }

    @Test
    void probesAnswered_areRemembered() {
        FakeSession device = device("d1", 30_000);
        for (int i = 0; i < 6; i++) {
            for (int before = gateway.probes; gateway.probes == before; ) {
                gateway.pass(Duration.ofMillis(20));
            }
            gateway.pass(Duration.ofMillis(100L * i));
            device.beat();
        }
        Evidence now = device.evidence();
        assertEquals(6, now.probes().sent());
        assertEquals(6, now.probes().answered());
        assertEquals(Evidence.NEVER, now.probes().unansweredMillisAgo());
        assertEquals(4, now.probes().roundTripMicros().size());
        assertEquals(500_000, now.probes().roundTripMicros().get(0), 20_000, "newest first");
        assertEquals(200_000, now.probes().roundTripMicros().get(3), 20_000);
    }

    @Test
    void open_tellsWhatWouldCloseIt() {
        FakeSession device = device("d1", 0);
        gateway.pass(Duration.ofSeconds(20));
        Evidence now = device.evidence();
        assertNull(now.reason());
        assertEquals(DeadlineKind.HEARTBEAT, limit(now).kind());
        assertEquals(DeadlineOrigin.DEFAULT, limit(now).origin());
        assertEquals(70_000, limit(now).dueMillis(), 1);
        assertEquals(70_000, limit(now).timeoutMillis() - 20_000, 1);

        device.drip(5);
        assertEquals(DeadlineKind.READ_PROGRESS, limit(device.evidence()).kind(), "comes first now");
        assertEquals(5, device.evidence().traffic().unfinishedBytes());
    }

    @Test
    void interval_askedTooShort_isToldAsClamped() {
        FakeSession device = device("d1", 1_000);
        assertEquals(DeadlineOrigin.CLAMPED, limit(device.evidence()).origin());
        assertEquals(5_000, limit(device.evidence()).intervalMillis());
    }

    @Test
    void interval_ofTheConfiguration_isToldAsConfigured() {
        gateway = new VirtualGateway(0, DefaultsBut.configured(DeadlineKind.HEARTBEAT));
        FakeSession device = device("d1", 0);
        assertEquals(DeadlineOrigin.CONFIGURED, limit(device.evidence()).origin());
        device.drip(5);
        assertEquals(DeadlineOrigin.DEFAULT, limit(device.evidence()).origin());
    }

    @Test
    void takeover_namesTheSuccessor() {
        device("d1", 0);
        FakeSession second = new FakeSession(gateway.sessionContext).accept(8).hello("d1", "");
        assertEquals(CloseReason.TAKEN_OVER, last().reason());
        assertEquals(8, last().successorSessionId());
        assertEquals(7, last().identity().sessionId());
        assertNull(last().limit(), "no deadline decided");
        assertTrue(second.isEstablished());
    }

    @Test
    void handshake_neverMade_leavesEvidenceToo() {
        new FakeSession(gateway.sessionContext).accept(9);
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, last().reason());
        assertFalse(last().established());
        assertEquals("handshake", last().protocol());
        assertEquals(DeadlineKind.HANDSHAKE, limit(last()).kind());
        assertEquals(10_000, limit(last()).timeoutMillis());
        assertEquals(Evidence.NEVER, last().traffic().lastFrameInMillisAgo());
        assertEquals(Evidence.NEVER, last().traffic().lastByteInMillisAgo());
    }

    @Test
    void login_refused_namesTheDeviceAsAClaim() {
        gateway = new VirtualGateway(0, LivenessSettings.defaults(), FakeSession.NOBODY);
        new FakeSession(gateway.sessionContext).accept(9).hello("d1", "acme-fw/2.1");

        assertEquals(CloseReason.UNAUTHORIZED, last().reason());
        assertEquals("d1", last().claimedDevice());
        assertEquals("", last().identity().deviceId(), "a claim is no identity");
        assertEquals("acme-fw/2.1", last().clientName());
        assertTrue(gateway.events.isEmpty());
        assertNull(gateway.registry.find("d1"));
    }

    @Test
    void drippedBytes_areYoungerThanTheLastFrame() {
        FakeSession device = device("d1", 0);
        gateway.pass(Duration.ofSeconds(3));
        device.drip(4);
        gateway.pass(Duration.ofSeconds(2));
        device.drip(6);
        gateway.pass(Duration.ofSeconds(1));
        Evidence now = device.evidence();
        assertEquals(6_000, now.traffic().lastFrameInMillisAgo());
        assertEquals(1_000, now.traffic().lastByteInMillisAgo());
    }
}
