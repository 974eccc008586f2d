package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.liveness.LivenessObserver.ShadowOutcome;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A second policy counts whom it would have closed and what became of them, and closes nobody. Real: 60 s x 1.5. Shadow: 60 s x 1.2 = 72 s. */
class ShadowPolicyTest {
    private static final LivenessSettings REAL = LivenessSettings.defaults();

    private final VirtualGateway gateway =
            new VirtualGateway(-50_000_000_000L, REAL, AuthPolicy.ANYBODY, BreakerSettings.OFF, shadow(1.2));

    private static LivenessSettings shadow(double grace) {
        LivenessSettings.Heartbeat beat = REAL.heartbeat();
        return new LivenessSettings(
                new LivenessSettings.Deadline(true, Duration.ofSeconds(5)),
                new LivenessSettings.Heartbeat(
                        true, beat.interval(), beat.min(), beat.max(), grace, beat.probe(), 0.25, null),
                new LivenessSettings.ReadProgress(true, Duration.ofSeconds(4), 128),
                new LivenessSettings.Deadline(false, Duration.ofMinutes(5)),
                new LivenessSettings.Deadline(false, Duration.ofMinutes(5)),
                new LivenessSettings.Deadline(false, Duration.ofSeconds(5)),
                new LivenessSettings.Age(false, Duration.ofDays(7), 0, Duration.ofSeconds(30)),
                Set.of());
    }

    private FakeSession device() {
        return new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
    }

    @Test
    void silence_thatEndsBetweenTheTwoDeadlines_isAKillTheShadowWouldHaveRegretted() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(73));
        assertEquals(List.of(), gateway.shadowed, "asked after 67.5 s, it has half of the 12 s of grace to answer");
        gateway.pass(Duration.ofSeconds(1));
        assertEquals(List.of(DeadlineKind.HEARTBEAT), gateway.shadowed);
        gateway.pass(Duration.ofSeconds(9));
        device.beat();
        assertEquals(List.of(ShadowOutcome.SPOKE), gateway.shadowOutcomes);
        assertTrue(device.isEstablished());
    }

    @Test
    void silence_thatDoesNotEnd_isAKillTheShadowWouldHaveMadeSooner() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(91));
        assertEquals(List.of(DeadlineKind.HEARTBEAT), gateway.shadowed);
        assertEquals(List.of(ShadowOutcome.CLOSED), gateway.shadowOutcomes);
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, device.closeFrames.get(0).reason());
    }

    @Test
    void beats_inTime_areNothingToTheShadow() {
        FakeSession device = device();
        for (int i = 0; i < 10; i++) {
            gateway.pass(Duration.ofSeconds(65));
            device.beat();
        }
        assertEquals(List.of(), gateway.shadowed);
    }

    @Test
    void answers_toProbesAlone_areNothingToAShadowThatIsShorterThanTheTimeOfTheProbe() {
        gateway.shadowPolicy.replace(new LivenessPolicy(shadow(1.1)));
        FakeSession device = device();
        for (int i = 0; i < 10; i++) {
            // asked after 67.5 s and a second at most, and the shadow's 66 s were over; it would not close without
            // having
            // asked either
            gateway.pass(Duration.ofMillis(69_500));
            device.beat();
        }
        assertEquals(List.of(), gateway.shadowed);
        gateway.pass(Duration.ofMillis(67_500 + 1_000 + 3_000 + 20));
        assertEquals(List.of(DeadlineKind.HEARTBEAT), gateway.shadowed, "half of the shadow's grace is over");
    }

    @Test
    void silence_twice_isCountedTwice() {
        FakeSession device = device();
        for (int i = 0; i < 2; i++) {
            gateway.pass(Duration.ofSeconds(80));
            device.beat();
        }
        assertEquals(2, gateway.shadowed.size());
        assertEquals(List.of(ShadowOutcome.SPOKE, ShadowOutcome.SPOKE), gateway.shadowOutcomes);
    }

    @Test
    void handshake_thatComesLate_isCountedAndTaken() {
        FakeSession device = new FakeSession(gateway.sessionContext).accept(1);
        gateway.pass(Duration.ofSeconds(7));
        assertEquals(List.of(DeadlineKind.HANDSHAKE), gateway.shadowed);
        device.hello("d", "");
        assertEquals(List.of(ShadowOutcome.SPOKE), gateway.shadowOutcomes);
        assertTrue(device.isEstablished());
    }

    @Test
    void frame_finishedLate_isCounted() {
        FakeSession device = device();
        device.drip(10);
        gateway.pass(Duration.ofSeconds(6));
        assertEquals(List.of(DeadlineKind.READ_PROGRESS), gateway.shadowed);
        device.beat();
        device.drip(0);
        assertEquals(List.of(ShadowOutcome.SPOKE), gateway.shadowOutcomes);
    }

    @Test
    void hangUp_whileMarked_isAnOutcomeOnce() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(80));
        device.hangUp();
        device.hangUp();
        assertEquals(List.of(ShadowOutcome.SPOKE), gateway.shadowOutcomes, "who takes its leave was alive");
    }

    @Test
    void reset_whileMarked_saysNothingEitherWay() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(80));
        device.end(CloseReason.PEER_RESET);
        assertEquals(List.of(ShadowOutcome.LEFT), gateway.shadowOutcomes);
    }

    @Test
    void replace_whileDevicesAreConnected_judgesThemByTheNewPolicyFromTheirNextLook() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(1));
        gateway.shadowPolicy.replace(new LivenessPolicy(shadow(1.4)));
        gateway.pass(Duration.ofSeconds(80));
        assertEquals(List.of(), gateway.shadowed, "60 s x 1.2 is no longer tried");
        gateway.pass(Duration.ofSeconds(4));
        assertEquals(List.of(DeadlineKind.HEARTBEAT), gateway.shadowed);
        device.beat();
        assertEquals(List.of(ShadowOutcome.SPOKE), gateway.shadowOutcomes);
    }

    @Test
    void replace_whileMarkedByTheOldPolicy_hasNoOutcome() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(80));
        assertEquals(List.of(DeadlineKind.HEARTBEAT), gateway.shadowed);
        gateway.shadowPolicy.replace(new LivenessPolicy(shadow(1.4)));
        device.beat();
        assertEquals(List.of(), gateway.shadowOutcomes);
        gateway.pass(Duration.ofSeconds(85));
        assertEquals(2, gateway.shadowed.size(), "and the new policy marks afresh");
    }

    @Test
    void replace_byNone_triesNothing() {
        device();
        gateway.shadowPolicy.replace(null);
        gateway.pass(Duration.ofSeconds(100));
        assertEquals(List.of(), gateway.shadowed);
    }
}
