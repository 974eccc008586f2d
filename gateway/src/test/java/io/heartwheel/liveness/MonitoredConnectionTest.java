package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deadlines that change while the wheel waits for others: what random worlds found, each as the smallest case. */
class MonitoredConnectionTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());

    private FakeSession device() {
        return device(gateway);
    }

    private static FakeSession device(VirtualGateway gateway) {
        return new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
    }

    /** With a breaker that trips for one dead device, and holds it back for so long. */
    private static VirtualGateway holdingBackFor(Duration patience) {
        BreakerSettings touchy = new BreakerSettings(true, Duration.ofSeconds(30), 0.01, 0.01, 1, patience, 1_000);
        return new VirtualGateway(0, LivenessSettings.defaults(), AuthPolicy.ANYBODY, touchy, null);
    }

    /** Held back for a frame begun 16 s ago; it speaks, and has taken nothing for 95 s. */
    private static FakeSession suspectThatTakesNothing(VirtualGateway gateway) {
        FakeSession device = device(gateway);
        device.pending = 100;
        device.flushed(gateway.now());
        gateway.pass(Duration.ofSeconds(50));
        device.beat();
        gateway.pass(Duration.ofSeconds(29));
        device.drip(1);
        gateway.pass(Duration.ofSeconds(16));
        assertEquals(1, gateway.breaker.suspects());
        return device;
    }

    private List<CloseReason> reasons(FakeSession device) {
        return device.closeFrames.stream().map(FakeSession.Farewell::reason).toList();
    }

    @Test
    void partial_bytesOfASuspect_absolveIt() {
        VirtualGateway watchful = holdingBackFor(Duration.ofSeconds(10));
        FakeSession device = device(watchful);
        watchful.pass(Duration.ofSeconds(60));
        device.beat();
        watchful.pass(Duration.ofSeconds(91));
        assertEquals(1, watchful.incidents.size());
        device.partial(1, watchful.now());
        assertEquals(List.of(LivenessObserver.SuspectOutcome.CLEARED), watchful.suspectOutcomes);
    }

    /** It was held back for the frame that it did not finish, when it was late with what it is to take as well. */
    @Test
    void activity_ofASuspectThatDoesNotDrainEither_givesNoPatienceAnew() {
        VirtualGateway watchful = holdingBackFor(Duration.ofSeconds(10));
        FakeSession device = suspectThatTakesNothing(watchful);
        device.beat();
        device.drip(0);
        assertEquals(List.of(), watchful.suspectOutcomes, "it has taken nothing for 95 s");
        watchful.pass(Duration.ofMillis(5_100));
        assertEquals(List.of(CloseReason.WRITE_STALLED), reasons(device));
        assertEquals(List.of(LivenessObserver.SuspectOutcome.CLOSED), watchful.suspectOutcomes);
    }

    @Test
    void activity_ofASuspectThatDrainsUnseen_clearsItAtTheNextLook() {
        VirtualGateway watchful = holdingBackFor(Duration.ofSeconds(10));
        FakeSession device = suspectThatTakesNothing(watchful);
        device.pending = 0;
        device.beat();
        device.drip(0);
        watchful.pass(Duration.ofSeconds(6));
        assertEquals(List.of(LivenessObserver.SuspectOutcome.CLEARED), watchful.suspectOutcomes);
        assertTrue(device.isEstablished());
    }

    @Test
    void pauseReading_suspectThatDrainsAgain_isHeardBeforeItIsAsked() {
        VirtualGateway watchful = holdingBackFor(Duration.ofMinutes(1));
        FakeSession device = device(watchful);
        watchful.pass(Duration.ofSeconds(61));
        device.beat();
        device.pending = 65_000;
        device.flushed(watchful.now());
        device.pauseReading(true, watchful.now());
        watchful.pass(Duration.ofSeconds(50));
        device.beat();
        watchful.pass(Duration.ofSeconds(42));
        assertEquals(1, watchful.breaker.suspects(), "it has taken nothing for 90 s");
        device.pending = 60_000;
        device.unread = device::beat;
        watchful.stall(Duration.ofSeconds(30));
        watchful.turn();
        assertEquals(0, watchful.breaker.suspects());
        assertEquals(0, watchful.probes, "it has spoken");
    }

    private static FakeSession beingPushedTo(VirtualGateway gateway) {
        FakeSession device = device(gateway);
        device.pending = 65_000;
        device.flushed(gateway.now());
        device.pauseReading(true, gateway.now());
        return device;
    }

    @Test
    void pauseReading_inTheMiddleOfAFrame_progressIsWhatWaitsInTheSocket() {
        VirtualGateway context = new VirtualGateway(0, DefaultsBut.withoutWriteProgress());
        FakeSession device = beingPushedTo(context);
        device.partial(1, context.now());
        for (int read = 1; read < 10; read++) {
            int bytes = 1 + 100 * read;
            device.unread = () -> {
                device.partial(bytes, context.now());
                device.moreWaits(context.now());
            };
            context.pass(Duration.ofMillis(9_900));
        }
        assertEquals(List.of(), reasons(device), "100 bytes a read, because we read no more");
        context.pass(Duration.ofSeconds(11));
        assertEquals(List.of(CloseReason.READ_STALLED), reasons(device));
    }

    @Test
    void hold_whileThePeerDoesNotDrainEither_isCreditedOnce() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(10));
        device.hold(message(), LivenessTest.NO_REPLY, gateway.now());
        gateway.pass(Duration.ofSeconds(10));
        device.pauseReading(true, gateway.now());
        gateway.pass(Duration.ofSeconds(10));
        device.unhold(gateway.now());
        assertTrue(device.readingPaused(), "for the other cause");
        gateway.pass(Duration.ofSeconds(10));
        device.pauseReading(false, gateway.now());
        gateway.pass(Duration.ofSeconds(69));
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(List.of(CloseReason.HEARTBEAT_TIMEOUT), reasons(device), "20 s were unheard");
    }

    @Test
    void hold_ofAPeerThatTakesNothing_leavesTheWriteDeadlineInForce() {
        FakeSession device = device();
        device.hold(message(), LivenessTest.NO_REPLY, gateway.now());
        device.pending = 100;
        device.flushed(gateway.now());
        assertEquals(1, device.held().messageId(), "still there");
        gateway.pass(Duration.ofSeconds(89));
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofSeconds(4));
        assertEquals(List.of(CloseReason.WRITE_STALLED), reasons(device));
    }

    @Test
    void hold_ofAPeerThatDrains_startsNoWriteDeadlineAndLetsSignsOfLifeGoOut() {
        FakeSession device = device();
        device.hold(message(), LivenessTest.NO_REPLY, gateway.now());
        gateway.pass(Duration.ofMinutes(6));
        assertEquals(1, gateway.keepAlives, "writer idle is 5 min");
        assertEquals(List.of(), reasons(device));
        device.pending = 100;
        device.flushed(gateway.now());
        device.pending = 0;
        gateway.pass(Duration.ofMinutes(6));
        assertEquals(2, gateway.keepAlives);
        assertEquals(List.of(), reasons(device));
        assertTrue(device.readingPaused());
    }

    @Test
    void hold_behindTheFirstBytesOfAFrame_doesNotLetItBeginAnew() {
        FakeSession device = device();
        device.beat();
        device.hold(message(), LivenessTest.NO_REPLY, gateway.now());
        device.drip(1);
        gateway.pass(Duration.ofSeconds(5));
        device.unhold(gateway.now());
        gateway.pass(Duration.ofSeconds(9));
        device.drip(2);
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(List.of(CloseReason.READ_STALLED), reasons(device), "two bytes in the 10 s in which it was heard");
    }

    @Test
    void rest_inTheMiddleOfAFrame_isNoSilenceSinceItsLastByte() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(40));
        device.drip(1);
        device.rest(true, gateway.now());
        gateway.pass(Duration.ofMinutes(30));
        assertEquals(List.of(), reasons(device));
        device.rest(false, gateway.now());
        assertEquals(gateway.now(), device.heardNanos());
    }

    private static ConnectionEvent.Message message() {
        return new ConnectionEvent.Message(
                new ConnectionEvent.Identity("d", 1, 1), 2, 0, 1, false, new byte[] {1, 2, 3});
    }
}
