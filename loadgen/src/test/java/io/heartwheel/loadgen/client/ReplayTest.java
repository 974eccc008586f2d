package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static io.heartwheel.loadgen.client.Rig.pong;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Recorded connections, replayed in virtual time: their frames, and how each of them ends. */
final class ReplayTest {

    private static final int ALLOWED = (int) Rig.ALLOWED_MILLIS;

    private final Rig rig = new Rig();

    @AfterEach
    void tidy() {
        rig.close();
    }

    /** A life of interval 2,000 ms whose first arrival is its HELLO, 40 ms after its connect. */
    private static RecordedConnection life(RecordedEnd ended, int endedAt, int... later) {
        int[] arrivals = new int[later.length + 1];
        arrivals[0] = 40;
        System.arraycopy(later, 0, arrivals, 1, later.length);
        return new RecordedConnection(0, 2_000, 150, arrivals, ended, endedAt);
    }

    private Device welcomed(RecordedConnection life, double speed) {
        return rig.welcomed(Behaviours.replay(List.of(life), speed));
    }

    /** When heartbeats were sent until then, milliseconds; each is answered at once. */
    private List<Long> beatsUntil(Device device, long untilMillis) {
        List<Long> at = new ArrayList<>();
        while (rig.due != Rig.NONE && rig.due <= untilMillis * MILLI && device.isOpen()) {
            int before = device.beats();
            rig.step(device);
            for (int beat = before + 1; beat <= device.beats(); beat++) {
                at.add(rig.now / MILLI);
                rig.receive(pong(beat));
            }
        }
        return at;
    }

    @Test
    void beats_recorded_comeAsLongAfterTheGreetingAsThen() {
        Device device = welcomed(life(RecordedEnd.UNTOLD, 3_000, 540, 540, 2_041, 3_000), 1);
        assertEquals(List.of(500L, 500L, 2_001L, 2_960L), beatsUntil(device, 2_960));
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        assertFalse(rig.seen.contains("close expected SILENT"), rig.seen::toString);
    }

    @Test
    void beats_twiceAsFast_comeInHalfTheTimeAndAskForHalfTheInterval() {
        Device device = rig.connected(Behaviours.replay(List.of(life(RecordedEnd.UNTOLD, 3_000, 540, 2_040)), 2));
        assertTrue(rig.sent().startsWith("0100002b4857010000" + "0003e8"));
        rig.receive(WELCOME);
        assertEquals(List.of(250L, 1_000L), beatsUntil(device, 1_000));
    }

    @Test
    void lives_fewerThanDevices_areLivedInTurn() {
        Behaviour group = Behaviours.replay(
                List.of(
                        life(RecordedEnd.LEFT, 1),
                        new RecordedConnection(7_000, 500, 150, new int[0], RecordedEnd.LEFT, 1)),
                2);
        assertEquals(0, group.of(0).beginsNanos());
        assertEquals(3_500 * MILLI, group.of(1).beginsNanos());
        assertEquals(0, group.of(2).beginsNanos());
        assertEquals(250, group.of(3).wantedMillis(rig.loopContext.deviceDefaults));
        assertEquals(0, group.closedShare());
    }

    @Test
    void end_untold_beatsOnInItsOwnCadence() {
        Device device = welcomed(life(RecordedEnd.UNTOLD, 540, 540), 1);
        List<Long> beats = beatsUntil(device, 20_000);
        assertEquals(500, beats.get(0));
        for (int i = 1; i < beats.size(); i++) {
            long gap = beats.get(i) - beats.get(i - 1);
            assertTrue(i == 1 ? gap <= Rig.PERIOD_MILLIS : gap == Rig.PERIOD_MILLIS, beats::toString);
        }
        assertTrue(beats.size() > 10, beats::toString);
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
    }

    @Test
    void end_left_isAGoodbyeInsteadOfTheLastArrival() {
        Device device = welcomed(life(RecordedEnd.LEFT, 2_043, 540, 2_040), 1);
        assertEquals(List.of(500L), beatsUntil(device, 2_002));
        assertEquals(1, device.beats());
        rig.runTo(device, 2_003);
        assertEquals(ExpectedOutcome.LEAVING, device.expectedOutcome());
    }

    @Test
    void end_silent_isItsLastHeartbeatAndMustBeFoundOut() {
        Device device = welcomed(life(RecordedEnd.SILENT, 6_000, 540, 2_040), 1);
        assertEquals(List.of(500L, 2_000L), beatsUntil(device, 60_000));
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
        assertEquals((2_000 + ALLOWED) * MILLI, device.deadlineNanos());
        assertTrue(device.behaviour().endsInClose());
        assertEquals(Rig.NONE, rig.due);
    }

    @Test
    void end_neverSpoke_saysNothing() {
        Device device = rig.connected(Behaviours.replay(
                List.of(new RecordedConnection(0, 0, 150, new int[0], RecordedEnd.NEVER_SPOKE, 10_000)), 1));
        assertNull(rig.sent());
        assertEquals(ExpectedOutcome.UNGREETED, device.expectedOutcome());
        assertEquals(Rig.TIMEOUTS.handshakeNanos(), device.deadlineNanos());
    }

    @Test
    void end_dripped_beginsAMessageSoThatItIsClosedWhenItWas() {
        Device device = welcomed(life(RecordedEnd.UNFINISHED, 6_540, 540), 1);
        assertEquals(List.of(500L), beatsUntil(device, 2_499));
        rig.forget();
        rig.runTo(device, 2_500);
        assertEquals(ExpectedOutcome.DRIPPING, device.expectedOutcome());
        assertTrue(rig.sent().startsWith("05"));
        assertTrue(device.deadlineNanos() >= 6_500 * MILLI);
    }

    @Test
    void end_reset_isOne() {
        Device device = welcomed(life(RecordedEnd.RESET, 1_040, 540), 1);
        rig.runTo(device, 999);
        assertTrue(device.isOpen());
        rig.runTo(device, 1_000);
        assertFalse(rig.channel().isActive());
    }

    @Test
    void silence_longerThanAllowed_isDueUntilItSpeaksAgain() {
        int late = 540 + ALLOWED + (int) Rig.MISSED_AFTER_MILLIS + 1;
        Device device = welcomed(life(RecordedEnd.UNTOLD, late, 540, late), 1);
        rig.runTo(device, 500);
        rig.receive(pong(1));
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
        assertEquals((500 + ALLOWED) * MILLI, device.deadlineNanos());
        rig.forget();
        rig.receive("03000000");
        assertNull(rig.sent(), "it did not answer then, or its answer would stand in the recording");
        rig.runTo(device, late);
        assertEquals(List.of("probed", "missed"), rig.seen.subList(0, 2));
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
    }

    @Test
    void silence_aboutAsLongAsAllowed_isNobodysFault() {
        for (int silence : new int[] {ALLOWED - 90, ALLOWED, ALLOWED + 300}) {
            try (Rig own = new Rig()) {
                Behaviour group =
                        Behaviours.replay(List.of(life(RecordedEnd.UNTOLD, 540 + silence, 540, 540 + silence)), 1);
                Device device = own.welcomed(group);
                own.runTo(device, 500);
                own.receive(pong(1));
                assertEquals(ExpectedOutcome.UNDECIDED, device.expectedOutcome(), silence + " ms");
                own.runTo(device, 500 + silence);
                assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome(), silence + " ms");
                assertEquals(2, device.beats());
            }
        }
    }

    @Test
    void answers_unevenBeats_areMeasuredFromWhenEachWasDue() {
        Device device = welcomed(life(RecordedEnd.UNTOLD, 3_000, 540, 550, 1_540), 1);
        rig.runTo(device, 510);
        rig.now = 530 * MILLI;
        rig.forget();
        rig.receive(pong(1) + pong(2));
        assertEquals(List.of("answered 30 uncorrected -", "answered 20 uncorrected 20"), rig.seen);
        assertEquals(0, device.overdueAnswers(530 * MILLI));
    }

    @Test
    void overdueAnswers_unevenBeats_countsThoseDueBefore() {
        Device device = welcomed(life(RecordedEnd.UNTOLD, 3_000, 540, 550, 1_540), 1);
        rig.runTo(device, 1_500);
        assertEquals(0, device.overdueAnswers(499 * MILLI));
        assertEquals(1, device.overdueAnswers(509 * MILLI));
        assertEquals(2, device.overdueAnswers(1_499 * MILLI));
        assertEquals(3, device.overdueAnswers(1_500 * MILLI));
    }

    @Test
    void welcome_late_whatFellDueBeforeIsSaidAtOnceAndNotLaidToTheGenerator() {
        Device device = rig.connected(Behaviours.replay(List.of(life(RecordedEnd.UNTOLD, 3_000, 540, 1_540)), 1));
        rig.now = 800 * MILLI;
        rig.receive(WELCOME);
        rig.forget();
        rig.step(device);
        assertEquals(801 * MILLI, rig.now);
        assertEquals(List.of("beat lag 1"), rig.seen);
        assertEquals(1_500 * MILLI, rig.due);
    }

    @Test
    void loss_liveDevice_doesNotComeBack() {
        try (Rig returning = new Rig(new Comeback(Comeback.Kind.FIXED, 0, 0))) {
            Device device = returning.welcomed(Behaviours.replay(List.of(life(RecordedEnd.UNTOLD, 540, 540)), 1));
            returning.due = Rig.NONE;
            returning.channel().close();
            assertTrue(device.isGone());
            assertEquals(Rig.NONE, returning.due);
        }
    }
}
