package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.session.Credentials;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Deadlines that change while the wheel waits for others: what random worlds found, each as the smallest case. */
class MonitoredConnectionTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());

    private FakeSession device() {
        return new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
    }

    private List<CloseReason> reasons(FakeSession device) {
        return device.closeFrames.stream().map(FakeSession.Farewell::reason).toList();
    }

    @Test
    void partial_frameBegunBehindAnother_hasATimeOfItsOwn() {
        FakeSession device = device();
        device.partial(1_280, gateway.now());
        gateway.pass(Duration.ofSeconds(1));
        device.beat();
        device.partial(1, gateway.now());
        gateway.pass(Duration.ofSeconds(10).minusNanos(1));
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofMillis(100));
        assertEquals(List.of(CloseReason.READ_STALLED), reasons(device));
    }

    @Test
    void partial_bytesAfterAProbe_areAskedAboutAnew() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(80));
        assertEquals(1, gateway.probes);
        for (int second = 0; second < 40; second++) {
            device.partial(1_000 * (second + 1), gateway.now());
            gateway.pass(Duration.ofSeconds(1));
        }
        device.beat();
        device.partial(0, gateway.now());
        gateway.pass(Duration.ofSeconds(59));
        assertEquals(1, gateway.probes);
        gateway.pass(Duration.ofSeconds(20));
        assertEquals(2, gateway.probes);
        assertEquals(List.of(), reasons(device));
    }

    @Test
    void partial_bytesOfASuspect_absolveIt() {
        BreakerSettings touchy =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.01, 0.01, 1, Duration.ofSeconds(10), 1_000);
        VirtualGateway watchful = new VirtualGateway(0, LivenessSettings.defaults(), Credentials.ANYBODY, touchy, null);
        FakeSession device = new FakeSession(watchful.sessionContext).accept(1).hello("d", "");
        watchful.pass(Duration.ofSeconds(60));
        device.beat();
        watchful.pass(Duration.ofSeconds(91));
        assertEquals(1, watchful.incidents.size());
        device.partial(1, watchful.now());
        assertEquals(List.of(LivenessObserver.SuspectOutcome.CLEARED), watchful.suspectOutcomes);
    }

    @Test
    void pauseReading_suspectThatDrainsAgain_isHeardBeforeItIsAsked() {
        BreakerSettings touchy =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.01, 0.01, 1, Duration.ofMinutes(1), 1_000);
        VirtualGateway watchful = new VirtualGateway(0, LivenessSettings.defaults(), Credentials.ANYBODY, touchy, null);
        FakeSession device = new FakeSession(watchful.sessionContext).accept(1).hello("d", "");
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

    @Test
    void pauseReading_againAndAgain_isNoSignOfLife() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(68));
        assertEquals(1, gateway.probes);
        for (int second = 68; second < 91; second++) {
            // a push over the watermark that the socket takes at once
            device.pauseReading(true, gateway.now());
            device.pauseReading(false, gateway.now());
            gateway.pass(Duration.ofSeconds(1));
        }
        assertEquals(1, gateway.probes, "asked once");
        assertEquals(List.of(CloseReason.HEARTBEAT_TIMEOUT), reasons(device), "interval x grace is 90 s");
    }

    private static VirtualGateway withoutWriteProgress() {
        LivenessSettings on = LivenessSettings.defaults();
        var off = new LivenessSettings.Deadline(false, Duration.ofSeconds(30));
        return new VirtualGateway(
                0,
                new LivenessSettings(
                        on.handshake(),
                        on.heartbeat(),
                        on.readProgress(),
                        on.readerIdle(),
                        on.writerIdle(),
                        off,
                        on.age(),
                        Set.of()));
    }

    private static FakeSession beingPushedTo(VirtualGateway gateway) {
        FakeSession device = new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
        device.pending = 65_000;
        device.flushed(gateway.now());
        device.pauseReading(true, gateway.now());
        return device;
    }

    @Test
    void pauseReading_deadPeerThatIsPushedTo_isClosedAsEveryDeadPeer() {
        for (VirtualGateway each : List.of(gateway, withoutWriteProgress())) {
            FakeSession device = beingPushedTo(each);
            each.pass(Duration.ofSeconds(90).minusNanos(1));
            assertEquals(List.of(), reasons(device));
            assertEquals(1, each.probes);
            each.pass(Duration.ofNanos(VirtualGateway.TICK_NANOS + 1));
            assertEquals(1, reasons(device).size());
        }
    }

    @Test
    void pauseReading_peerThatReadsSlowlyAndBeats_lives() {
        VirtualGateway context = withoutWriteProgress();
        FakeSession device = beingPushedTo(context);
        for (int beat = 0; beat < 20; beat++) {
            device.unread = device::beat;
            context.pass(Duration.ofSeconds(60));
        }
        assertEquals(List.of(), reasons(device));
        assertEquals(0, context.probes, "what it said lay in the socket when it was to be asked");
        context.pass(Duration.ofSeconds(92));
        assertEquals(List.of(CloseReason.HEARTBEAT_TIMEOUT), reasons(device));
    }

    @Test
    void pauseReading_inTheMiddleOfAFrame_progressIsWhatWaitsInTheSocket() {
        VirtualGateway context = withoutWriteProgress();
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
    void hold_aMessageTheSinkHasNoRoomFor_isNoSilenceOfThePeer() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(40));
        device.hold(message(), gateway.now());
        assertTrue(device.readingPaused());
        gateway.pass(Duration.ofMinutes(30));
        assertEquals(0, gateway.probes, "what is not read cannot be asked");
        assertEquals(List.of(), reasons(device));

        device.unhold(gateway.now());
        assertFalse(device.readingPaused());
        assertNull(device.held());
        gateway.pass(Duration.ofSeconds(49));
        assertEquals(1, gateway.probes);
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(List.of(CloseReason.HEARTBEAT_TIMEOUT), reasons(device), "40 s before it and 50 s after it");
    }

    @Test
    void hold_whileThePeerDoesNotDrainEither_isCreditedOnce() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(10));
        device.hold(message(), gateway.now());
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
        device.hold(message(), gateway.now());
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
        device.hold(message(), gateway.now());
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
        device.hold(message(), gateway.now());
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

    @Test
    void backlog_drainedWithNobodyWaitingForProgress_letsSignsOfLifeGoOn() {
        LivenessSettings on = LivenessSettings.defaults();
        var off = new LivenessSettings.Deadline(false, Duration.ofSeconds(30));
        var writerIdle = new LivenessSettings.Deadline(true, Duration.ofSeconds(10));
        var noBeat = new LivenessSettings.Heartbeat(
                false, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofHours(1), 1.5, true, 0.25);
        VirtualGateway context = new VirtualGateway(
                0,
                new LivenessSettings(
                        on.handshake(),
                        noBeat,
                        on.readProgress(),
                        on.readerIdle(),
                        writerIdle,
                        off,
                        on.age(),
                        Set.of()));
        FakeSession device = new FakeSession(context.sessionContext).accept(1).hello("d", "");
        device.pending = 100;
        device.flushed(context.now());
        context.pass(Duration.ofSeconds(1));
        device.pending = 0;
        context.pass(Duration.ofSeconds(60));
        assertEquals(6, context.keepAlives);
    }

    @Test
    void backlog_acknowledgedWhileTheSocketTakesNothing_isProgress() {
        FakeSession device = device();
        device.acknowledged = 1_000;
        device.pending = 100;
        device.flushed(gateway.now());
        for (int i = 0; i < 20; i++) {
            // 5 to 40 KB/s out of a send queue of megabytes: no third of it is free for minutes
            gateway.pass(Duration.ofSeconds(40));
            device.beat();
            device.acknowledged = 1_000 + (i + 1) * 100_000L;
        }
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofSeconds(40));
        device.beat();
        gateway.pass(Duration.ofSeconds(49));
        assertEquals(List.of(), reasons(device), "90 s from the look that saw the last progress");
        gateway.pass(Duration.ofSeconds(7));
        assertEquals(List.of(CloseReason.WRITE_STALLED), reasons(device));
    }

    @Test
    void backlog_nothingAcknowledgedSinceItBegan_isClosedOnTime() {
        FakeSession device = device();
        device.acknowledged = 1_000;
        gateway.pass(Duration.ofSeconds(10));
        device.acknowledged = 50_000;
        device.pending = 100;
        device.flushed(gateway.now());
        gateway.pass(Duration.ofSeconds(50));
        device.beat();
        gateway.pass(Duration.ofMillis(39_900));
        assertEquals(List.of(), reasons(device));
        gateway.pass(Duration.ofMillis(120));
        assertEquals(
                List.of(CloseReason.WRITE_STALLED), reasons(device), "what was acknowledged before is no progress");
    }

    @Test
    void secondLook_acknowledgedSinceTheLastLook_isNoDeathForTheBreaker() {
        BreakerSettings touchy =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.01, 0.01, 1, Duration.ofSeconds(10), 1_000);
        VirtualGateway watchful = new VirtualGateway(0, LivenessSettings.defaults(), Credentials.ANYBODY, touchy, null);
        FakeSession device = new FakeSession(watchful.sessionContext).accept(1).hello("d", "");
        device.acknowledged = 0;
        device.pending = 100;
        device.flushed(watchful.now());
        watchful.pass(Duration.ofSeconds(50));
        device.beat();
        watchful.pass(Duration.ofSeconds(39));
        device.acknowledged = 1;
        watchful.pass(Duration.ofSeconds(2));
        assertEquals(List.of(), watchful.incidents);
        assertEquals(List.of(), reasons(device));
    }

    @Test
    void secondLook_drainedSinceTheLastLook_isNoDeathForTheBreaker() {
        BreakerSettings touchy =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.01, 0.01, 1, Duration.ofSeconds(10), 1_000);
        VirtualGateway watchful = new VirtualGateway(0, LivenessSettings.defaults(), Credentials.ANYBODY, touchy, null);
        FakeSession device = new FakeSession(watchful.sessionContext).accept(1).hello("d", "");
        device.pending = 100;
        device.flushed(watchful.now());
        // write progress is looked at each sixteenth of 90 s
        watchful.pass(Duration.ofSeconds(50));
        device.beat();
        watchful.pass(Duration.ofSeconds(39));
        device.pending = 50;
        watchful.pass(Duration.ofSeconds(2));
        assertEquals(List.of(), watchful.incidents);
        assertEquals(List.of(), reasons(device));
    }
}
