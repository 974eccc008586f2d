package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.NONE;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static io.heartwheel.loadgen.client.Rig.close;
import static io.heartwheel.loadgen.client.Rig.goaway;
import static io.heartwheel.loadgen.client.Rig.pong;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that lose their connection: who comes back, when, and who does not; and the network cut for a while. */
final class ReturnTest {

    private static final Comeback FIXED = new Comeback(Comeback.Kind.FIXED, 500 * MILLI, 500 * MILLI);
    private static final Comeback EXPONENTIAL = new Comeback(Comeback.Kind.EXPONENTIAL, 100 * MILLI, 1_000 * MILLI);
    private static final Comeback OBEY = new Comeback(Comeback.Kind.OBEY, 100 * MILLI, 1_000 * MILLI);

    private Rig rig = new Rig(FIXED);

    @AfterEach
    void tidy() {
        rig.close();
    }

    private Device welcomed(Comeback comeback) {
        rig.close();
        rig = new Rig(comeback);
        return rig.welcomed(Behaviours.steady());
    }

    @Test
    void lost_connectionBroken_comesBackAfterItsPause() {
        Device device = welcomed(FIXED);
        rig.now = 1_000 * MILLI;
        rig.channel().close();
        assertEquals(1_500 * MILLI, rig.due);
        rig.step(device);
        rig.now = 1_520 * MILLI;
        rig.receive(WELCOME);
        assertEquals(List.of("ended END_OF_STREAM 0", "retried", "opened", "recovered 520"), rig.seen);
        assertEquals(0, device.widestGapNanos());
        assertTrue(rig.due > rig.now, "it beats again");
        rig.step(device);
        assertEquals(
                1, rig.seen.stream().filter(line -> line.startsWith("beat")).count());
    }

    @Test
    void fallSilent_whileItComesBack_waitsForItsWelcome() {
        Device device = welcomed(FIXED);
        device.arrives();
        rig.loopContext.observeUntil(100_000 * MILLI);
        rig.channel().close();
        device.fallSilent();
        rig.step(device);
        rig.receive(WELCOME);
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
    }

    @Test
    void lost_nobodyComesBack_staysAway() {
        welcomed(Comeback.NEVER);
        rig.due = NONE;
        rig.channel().close();
        assertEquals(NONE, rig.due);
    }

    @Test
    void lost_attemptsFail_waitsLongerEachTime() {
        Device device = welcomed(EXPONENTIAL);
        rig.channel().close();
        for (long pause : new long[] {100, 200, 400, 800, 1_000, 1_000}) {
            assertEquals(rig.now + pause * MILLI, rig.due);
            rig.step(device);
            rig.channel().close();
        }
        assertEquals(6, rig.seen.stream().filter("retry failed"::equals).count());
        rig.step(device);
        rig.receive(WELCOME);
        assertEquals("recovered 4500", rig.seen.get(rig.seen.size() - 1));
        rig.channel().close();
        assertEquals(rig.now + 100 * MILLI, rig.due, "a success makes it forget its failures");
    }

    /** Seen: a port that was missing when a device came back was in no count, and the server was to blame that it stayed away. */
    @Test
    void lost_noPortLeftToComeBack_isToldAsItsOwnMachines() {
        Device device = welcomed(FIXED);
        rig.channel().close();
        rig.now = rig.due;
        device.connect(new HeartwheelDialect(), rig.now);
        device.connectFailed(new IOException("connect(..) failed: Cannot assign requested address"));
        assertEquals("retry failed here", rig.seen.get(rig.seen.size() - 1));
        assertEquals(1_000 * MILLI, rig.due, "and it tries again");
    }

    @Test
    void lost_toldToStayAway_neverComesBack() {
        for (int code : new int[] {4400, 4401, 4409, 4412, 4599, 1002, 1003, 1007, 1009}) {
            Device device = welcomed(FIXED);
            rig.due = NONE;
            rig.receive(close(code));
            assertTrue(device.isFinished(), "after " + code);
            assertEquals(NONE, rig.due);
        }
        for (int code : new int[] {4000, 4001, 4005, 4007, 4200, 4203, 4205, 4399}) {
            Device device = welcomed(FIXED);
            rig.receive(close(code));
            assertFalse(device.isFinished(), "after " + code);
            assertEquals(500 * MILLI, rig.due);
        }
    }

    @Test
    void retry_toldToStayAway_isOver() {
        Device device = welcomed(FIXED);
        rig.channel().close();
        rig.step(device);
        rig.receive(close(4401));
        assertEquals("retry failed", rig.seen.get(rig.seen.size() - 1));
        assertTrue(device.isFinished());
        assertEquals(NONE, rig.due);
    }

    @Test
    void goaway_window_isObeyed() {
        long[] span = {Long.MAX_VALUE, 0};
        for (int index = 0; index < 200; index++) {
            try (Rig other = new Rig(OBEY)) {
                Device device = new Device(other.loopContext, new HeartwheelDialect(), Behaviours.steady(), index);
                other.connect(device, 0);
                other.receive(WELCOME);
                other.receive(goaway(4200, 2_000, 6_000));
                assertTrue(other.due >= 2_000 * MILLI && other.due <= 6_000 * MILLI, "due " + other.due);
                span[0] = Math.min(span[0], other.due);
                span[1] = Math.max(span[1], other.due);
            }
        }
        assertTrue(span[1] - span[0] > 3_000 * MILLI, "spread over the window");
    }

    @Test
    void goaway_live_leavesAndCountsAsLostOnce() {
        Device device = welcomed(OBEY);
        rig.receive(goaway(4200, 0, 0));
        assertEquals("080000020fa0", rig.sent());
        assertEquals(List.of("goaway", "lost", "ended LEFT 0"), rig.seen);
        rig.step(device);
        rig.receive(WELCOME);
        assertEquals(List.of("retried", "opened", "recovered 0"), rig.seen.subList(3, 6));
        assertFalse(device.wasAskedToLeave(), "the new connection was not");
    }

    @Test
    void goaway_nobodyComesBack_isWaitedOut() {
        Device device = welcomed(Comeback.NEVER);
        rig.receive(goaway(4200, 0, 0));
        assertTrue(device.isOpen());
        assertTrue(device.wasAskedToLeave());
        assertEquals(List.of("goaway"), rig.seen);
    }

    @Test
    void crowd_turnedAway_comesBackInTheWindowOfTheLastTime() {
        rig.close();
        rig = new Rig(OBEY);
        Device device = rig.connected(Behaviours.crowd(new ActionTime(0, 0)));
        for (int least : new int[] {2_000, 500}) {
            rig.receive(goaway(4202, least, least + 100) + close(4202));
            rig.channel().close();
            assertEquals(least + 50.0, (double) (rig.due - rig.now) / MILLI, 50);
            rig.step(device);
        }
        rig.receive(close(4202));
        rig.channel().close();
        assertTrue(rig.due - rig.now >= 500 * MILLI && rig.due - rig.now <= 600 * MILLI, "the one it knows");
        rig.step(device);
        rig.receive(WELCOME);
        assertTrue(device.isOpen());
        assertFalse(device.isReturning());
        assertFalse(rig.seen.contains("goaway"), "it was not in");
    }

    @Test
    void rival_displacedOrTurnedAway_comesBackAllTheSame() {
        rig.close();
        rig = new Rig(OBEY);
        Device device = rig.welcomed(Behaviours.rival(new ActionTime(0, 0)));
        rig.receive(close(4409));
        assertFalse(device.isFinished());
        assertTrue(rig.due - rig.now <= 100 * MILLI, "at once, or nearly so");
        rig.step(device);
        rig.receive(goaway(4208, 2_000, 3_000) + close(4208));
        rig.channel().close();
        assertEquals(2_500.0, (double) (rig.due - rig.now) / MILLI, 500);
        rig.step(device);
        rig.receive(WELCOME);
        assertTrue(device.isOpen());
        assertFalse(rig.seen.stream().anyMatch(line -> line.startsWith("refused")), () -> "seen: " + rig.seen);
    }

    @Test
    void rivals_twoAndTwo_shareAnId() {
        Behaviour all = Behaviours.rival(new ActionTime(0, 0));
        assertEquals(
                List.of(0, 0, 1, 1),
                IntStream.range(0, 4)
                        .mapToObj(number -> all.of(number).sharedId())
                        .toList());
        rig.sharedId = 7;
        Device one = rig.connected(all);
        assertEquals("d-shared-7", one.id());
        assertEquals("d-shared-7", one.wireId());
        assertEquals("/ws/d-shared-7", Template.of("/ws/{id}").of(one));
    }

    @Test
    void connect_turnedAwayOtherThanACrowd_isRefused() {
        rig.connected(Behaviours.steady());
        rig.receive(close(4202));
        rig.channel().close();
        assertEquals(List.of("refused CLOSE 4202"), rig.seen);
        assertEquals(NONE, rig.due);
    }

    @Test
    void connect_refusedInAnOutage_isTriedAgainAndElseNot() {
        rig.loopContext.outageUntil(10_000 * MILLI);
        Device device = rig.connected(Behaviours.steady());
        rig.channel().close();
        assertEquals(List.of("retry failed"), rig.seen);
        assertEquals(500 * MILLI, rig.due);
        rig.step(device);
        rig.receive(WELCOME);
        assertEquals(List.of("retried", "opened", "recovered 500"), rig.seen.subList(1, 4));
    }

    @Test
    void connect_refusedWithoutReason_isOver() {
        Device device = rig.connected(Behaviours.steady());
        rig.channel().close();
        assertEquals(List.of("refused END_OF_STREAM 0"), rig.seen);
        assertTrue(device.isGone());
        assertTrue(device.isFinished());
    }

    @Test
    void finished_connectionBroken_doesNotComeBack() {
        Device device = welcomed(FIXED);
        device.fallSilent();
        rig.due = NONE;
        rig.receive(close(4001));
        rig.channel().close();
        assertEquals(NONE, rig.due);
        device.leave();
        assertEquals(List.of("close expected SILENT", "ended CLOSE 4001"), rig.seen);
    }

    @Test
    void leave_whileItWaitsToComeBack_staysAway() {
        Device device = welcomed(FIXED);
        rig.channel().close();
        device.leave();
        int before = rig.channels.size();
        rig.runTo(device, 60_000);
        assertEquals(before, rig.channels.size());
    }

    // ---- a cut network

    @Test
    void cut_shorterThanAllowed_isAsIfNothingHadBeen() {
        Device device = welcomed(FIXED);
        rig.runTo(device, 1_800);
        long last = device.lastSentNanos();
        device.cut();
        assertEquals(ExpectedOutcome.UNDECIDED, device.expectedOutcome());
        rig.forget();
        rig.runTo(device, last / MILLI + 2_500);
        assertEquals(List.of(), rig.seen, "it cannot speak");
        device.heal();
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        assertEquals(List.of("beat lag 0"), rig.seen);
        assertEquals(rig.now + 1_800 * MILLI, rig.due);
    }

    @Test
    void cut_longerThanAllowed_isCondemnedWhenHealed() {
        Device device = welcomed(FIXED);
        device.cut();
        rig.runTo(device, 60_000);
        device.heal();
        assertEquals(List.of("close expected VANISHED", "beat lag 0"), rig.seen);
        rig.channel().pipeline().fireExceptionCaught(new IOException("reset"));
        assertEquals("ended RESET 0", rig.seen.get(2));
        assertEquals(rig.now + 500 * MILLI, rig.due, "and it comes back");
    }

    @Test
    void cut_longerThanAllowedAndStillAnswered_isMissedAndLivesOn() {
        Device device = welcomed(FIXED);
        rig.step(device);
        device.cut();
        rig.runTo(device, 60_000);
        device.heal();
        rig.forget();
        rig.receive(pong(1));
        assertFalse(rig.seen.contains("missed"), "that answer was on its way before the cut");
        rig.receive(pong(2));
        assertTrue(rig.seen.contains("missed"));
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        assertTrue(rig.due > rig.now);
    }

    @Test
    void cut_aboutAsLongAsAllowed_isInDoubtUntilTheNextAnswer() {
        Device device = welcomed(FIXED);
        rig.runTo(device, 1_800);
        device.cut();
        rig.runTo(device, device.lastSentNanos() / MILLI + 3_100);
        device.heal();
        assertEquals(ExpectedOutcome.UNDECIDED, device.expectedOutcome());
        rig.forget();
        rig.receive(pong(1));
        assertEquals(ExpectedOutcome.UNDECIDED, device.expectedOutcome());
        rig.receive(pong(2));
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        rig.step(device);
        assertTrue(rig.seen.contains("beat lag 0"));
    }

    @Test
    void cut_flappingDevice_neitherTalksNorLeavesInTheDark() {
        rig.close();
        rig = new Rig(FIXED);
        Device device = rig.welcomed(Behaviours.flapping(2_000 * MILLI, 1_000 * MILLI));
        device.cut();
        rig.runTo(device, 60_000);
        assertEquals(List.of(), rig.seen);
        assertTrue(device.isOpen());
    }
}
