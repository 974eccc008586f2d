package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.NONE;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static io.heartwheel.loadgen.client.Rig.close;
import static io.heartwheel.loadgen.client.Rig.pong;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behaviours of devices, event by event. */
final class BehavioursTest {

    private static final ActionTime AT_ONCE = new ActionTime(0, 0);

    private Rig rig = new Rig();

    @AfterEach
    void tidy() {
        rig.close();
    }

    private long beats() {
        return rig.seen.stream().filter(line -> line.startsWith("beat")).count();
    }

    private String last() {
        return rig.seen.get(rig.seen.size() - 1);
    }

    @Test
    void neverHello_connected_saysNothingAndMustBeClosedByTheHandshakesDeadline() {
        rig.now = 100 * MILLI;
        Device device = rig.connected(Behaviours.neverHello());
        assertNull(rig.sent());
        assertEquals(List.of("close expected UNGREETED"), rig.seen);
        assertEquals(5_100 * MILLI, device.deadlineNanos());
        assertEquals(5_100 * MILLI, device.earliestNanos());
        rig.receive(close(4006));
        rig.channel().close();
        assertEquals("ended CLOSE 4006", rig.seen.get(1));
        assertTrue(device.isGone());
        assertTrue(device.isFinished());
        assertEquals(NONE, rig.due);
    }

    @Test
    void brokenPromise_serverWithoutSuchADeadline_mayCloseItOrNot() {
        Timeouts none = new Timeouts(Timeouts.NEVER, Timeouts.NEVER, 1, Timeouts.NEVER);
        rig.dialect().withContract(ServerContract.heartwheel(none).unlimited());
        Device mute = rig.connected(Behaviours.neverHello());
        assertEquals(List.of("close expected UNLIMITED"), rig.seen);
        rig.channel().close();
        assertEquals("ended END_OF_STREAM 0", last());
        assertTrue(mute.isGone());
        Device silent = rig.welcomed(Behaviours.silent(AT_ONCE));
        rig.runTo(silent, 3_600_000);
        assertEquals(ExpectedOutcome.UNLIMITED, silent.expectedOutcome());
        assertEquals(1, beats());
    }

    @Test
    void neverHello_overWebSocket_takesAnHttpAnswerForItsEnd() {
        rig = new Rig(Comeback.NEVER, 0, new HeartwheelDialect("h", "/ws"));
        rig.connected(Behaviours.neverHello());
        rig.receive(ByteBufUtil.hexDump("HTTP/1.1 408 Request Timeout\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(List.of("close expected UNGREETED", "ended NOT_ACCEPTED 0"), rig.seen);
    }

    @Test
    void silent_momentCome_beatsOnceMoreAndThenNothing() {
        Device device = rig.welcomed(Behaviours.silent(new ActionTime(4_000 * MILLI, 4_000 * MILLI)));
        rig.runTo(device, 60_000);
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
        assertEquals("close expected SILENT", last());
        assertTrue(device.lastSentNanos() >= 4_000 * MILLI && device.lastSentNanos() <= 5_800 * MILLI);
        assertEquals(device.lastSentNanos() + 3_000 * MILLI, device.deadlineNanos());
        assertEquals(NONE, rig.due);
        rig.forget();
        rig.receive("03000003cafe01");
        assertNull(rig.sent(), "it does not answer");
        assertEquals(List.of("probed"), rig.seen);
    }

    @Test
    void silent_beforeObservation_goesOnBeating() {
        rig.loopContext.observeFrom(50_000 * MILLI);
        Device device = rig.welcomed(Behaviours.silent(AT_ONCE));
        rig.runTo(device, 49_999);
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        rig.runTo(device, 52_000);
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
    }

    @Test
    void fallSilent_ofASteadyDevice_stopsItsBeats() {
        Device device = rig.welcomed(Behaviours.steady());
        device.fallSilent();
        rig.runTo(device, 60_000);
        assertEquals(List.of("close expected SILENT"), rig.seen);
        assertNull(rig.sent());
        device.fallSilent();
        device.vanish();
        device.cut();
        assertEquals(List.of("close expected SILENT"), rig.seen, "the close is expected once");
    }

    @Test
    void fallSilent_beforeItsWelcome_waitsForIt() {
        rig.loopContext.observeUntil(100_000 * MILLI);
        Device device = rig.connected(Behaviours.steady());
        device.fallSilent();
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        rig.receive(Rig.WELCOME);
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
        assertEquals(List.of("opened", "close expected SILENT"), rig.seen);
    }

    @Test
    void fallSilent_welcomedTooLateForItsDeadline_staysLive() {
        rig.loopContext.observeUntil(3_000 * MILLI);
        Device device = rig.connected(Behaviours.steady());
        device.fallSilent();
        rig.receive(Rig.WELCOME);
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
    }

    @Test
    void vanishing_momentCome_isSilentUntilItKnocks() {
        Device device = rig.welcomed(Behaviours.vanishing(AT_ONCE));
        rig.step(device);
        assertEquals(ExpectedOutcome.VANISHED, device.expectedOutcome());
        assertTrue(device.isUnreachable());
        assertFalse(rig.channel().config().isAutoRead(), "where it cannot be deaf it does not read");
        long knock = device.lastSentNanos() + 3_400 * MILLI;
        assertEquals(knock, rig.due);
        rig.runTo(device, 60_000);
        assertEquals(1, beats());
        assertFalse(device.isUnreachable());
        assertTrue(rig.channel().config().isAutoRead());
        rig.channel().pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        assertEquals("ended RESET 0", rig.seen.get(2));
        assertTrue(device.isGone());
    }

    @Test
    void vanished_knockAnswered_isMissedAndLeaves() {
        Device device = rig.welcomed(Behaviours.vanishing(AT_ONCE));
        rig.runTo(device, 60_000);
        rig.forget();
        rig.receive(pong(1));
        assertEquals("missed", rig.seen.get(0));
        assertEquals("ended LEFT 0", rig.seen.get(2));
        assertTrue(device.isGone());
    }

    @Test
    void vanished_answerToABeatFromBefore_provesNothing() {
        Device device = rig.welcomed(Behaviours.steady());
        rig.step(device);
        device.vanish();
        rig.runTo(device, 60_000);
        rig.forget();
        rig.receive(pong(1) + close(4001));
        assertEquals(
                2,
                rig.seen.stream()
                        .filter(line -> line.startsWith("answered") || line.equals("ended CLOSE 4001"))
                        .count());
        assertFalse(rig.seen.contains("missed"), rig.seen::toString);
    }

    @Test
    void resetting_momentCome_endsWithoutAWord() {
        Device device = rig.welcomed(Behaviours.resetting(AT_ONCE));
        rig.step(device);
        assertEquals(List.of("ended LEFT 0"), rig.seen);
        assertNull(rig.sent());
        assertTrue(device.isFinished() && device.isGone());
    }

    @Test
    void leaving_momentCome_saysGoodbye() {
        Device device = rig.welcomed(Behaviours.leaving(AT_ONCE));
        rig.step(device);
        assertEquals("080000020fa0", rig.sent());
        assertEquals(List.of("ended LEFT 0"), rig.seen);
        assertTrue(device.isGone());
        assertEquals(NONE, rig.due);
    }

    @Test
    void flapping_anyTime_leavesAndComesBack() {
        Device device = rig.welcomed(Behaviours.flapping(5_000 * MILLI, 1_000 * MILLI));
        for (int round = 0; round < 10; round++) {
            long opened = rig.now;
            int before = rig.channels.size();
            while (rig.channels.size() == before) {
                rig.step(device);
            }
            long away = rig.now - opened;
            assertTrue(away >= 3_000 * MILLI && away <= 9_002 * MILLI, "away for " + away);
            rig.receive(WELCOME);
        }
        assertEquals(10, rig.seen.stream().filter("ended LEFT 0"::equals).count());
        assertEquals(10, rig.seen.stream().filter("opened"::equals).count());
        assertFalse(rig.seen.contains("retried"), "it was not lost");
    }

    @Test
    void byteDrip_opened_dripsUntilItIsClosed() {
        Device device = rig.welcomed(Behaviours.slowWriter(100 * MILLI));
        rig.step(device);
        long begun = rig.now;
        assertEquals("05007d00", rig.sent());
        assertEquals(List.of("close expected DRIPPING"), rig.seen);
        assertEquals(begun + 4_000 * MILLI, device.deadlineNanos());
        rig.runTo(device, begun / MILLI + 1_000);
        for (int i = 0; i < 10; i++) {
            assertEquals("00", rig.sent());
        }
        assertNull(rig.sent());
        assertEquals(begun + 4_000 * MILLI + 10 * 1_000 * MILLI / 128, device.deadlineNanos());
        assertTrue(device.earliestNanos() < device.deadlineNanos(), "its last byte may not have come yet");
        assertTrue(device.earliestNanos() >= begun + 4_000 * MILLI);
        rig.receive(close(4003));
        assertEquals("ended CLOSE 4003", last());
        rig.runTo(device, 60_000);
        assertNull(rig.sent());
    }

    @Test
    void slowReader_opened_floodsUntilNothingGoesThrough() {
        Device device = rig.welcomed(Behaviours.slowReader());
        assertFalse(rig.channel().config().isAutoRead());
        assertEquals(ExpectedOutcome.STUCK, device.expectedOutcome());
        rig.forget();
        rig.step(device);
        assertTrue(rig.sent().startsWith("0300007d00"));
        assertNull(rig.sent(), "one at a time, within the limits of a connection");
        rig.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        rig.forget();
        rig.step(device);
        long stuck = rig.now;
        assertNull(rig.sent());
        assertEquals(stuck + 8_500 * MILLI, device.deadlineNanos());
        assertTrue(device.earliestNanos() <= stuck + 8_000 * MILLI);
        rig.runTo(device, stuck / MILLI + 8_890);
        assertFalse(rig.channel().config().isAutoRead(), "not before it must have been closed");
        rig.runTo(device, stuck / MILLI + 8_930);
        assertTrue(rig.channel().config().isAutoRead(), "now it looks");
        rig.receive("0400007d" + "00".repeat(125) + close(4004));
        assertEquals("ended CLOSE 4004", last());
    }

    @Test
    void slowReader_gatewayOnlySlow_floodsOn() {
        Device device = rig.welcomed(Behaviours.slowReader());
        rig.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        rig.step(device);
        long stuck = rig.now;
        rig.runTo(device, stuck / MILLI + 2_000);
        rig.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        rig.forget();
        rig.step(device);
        assertTrue(rig.sent().startsWith("0300007d00"));
        assertTrue(device.deadlineNanos() > stuck + 8_500 * MILLI, "it was not stuck, after all");
    }

    @Test
    void late_withinTheGrace_keepsItsPromise() {
        Device device = rig.welcomed(Behaviours.late(0.4, 3, Long.MAX_VALUE / 2));
        rig.runTo(device, 62_000);
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
        assertEquals(2_600 * MILLI, device.widestGapNanos());
        assertFalse(rig.seen.contains("close expected SILENT"));
    }

    @Test
    void late_beyondTheGrace_isCondemnedAndSpeaksOnlyWhenItMustHaveBeenClosed() {
        Device device = rig.welcomed(Behaviours.late(0.7, 2, Long.MAX_VALUE / 2));
        rig.step(device);
        rig.step(device);
        assertEquals(ExpectedOutcome.SILENT, device.expectedOutcome());
        assertEquals(device.lastSentNanos() + 3_400 * MILLI, rig.due);
        rig.forget();
        rig.step(device);
        assertEquals(List.of("missed", "beat lag 0"), rig.seen);
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
    }

    @Test
    void late_nearTheEnd_isPunctual() {
        Device device = rig.welcomed(Behaviours.late(0.7, 2, 10_000 * MILLI));
        rig.runTo(device, 60_000);
        long broken = rig.seen.stream().filter("close expected SILENT"::equals).count();
        assertTrue(broken > 0 && broken <= 3, rig.seen::toString);
        assertEquals(broken, rig.seen.stream().filter("missed"::equals).count());
        assertEquals(ExpectedOutcome.LIVE, device.expectedOutcome());
    }

    @Test
    void chatty_anyTime_keepsItsBeatsAndItsRate() {
        Device device = rig.welcomed(Behaviours.chatty(5, new Payload(Payload.Kind.FIXED, 3, 3)));
        for (int second = 1; second <= 180; second++) {
            rig.runTo(device, 1_000L * second);
            acknowledgeAll();
        }
        assertEquals(100, beats());
        long messages = rig.seen.stream().filter("message SENT"::equals).count();
        // five standard deviations of a Poisson process
        assertEquals(900.0, messages, 150.0);
        assertEquals(
                messages, rig.seen.stream().filter("message ACCEPTED"::equals).count());
        assertTrue(device.widestGapNanos() <= 1_800 * MILLI);
        device.judgeMessages(rig.now);
        assertTrue(rig.seen.stream().noneMatch("message UNACKNOWLEDGED"::equals), rig.seen::toString);
    }

    private void acknowledgeAll() {
        for (String sent = rig.sent(); sent != null; sent = rig.sent()) {
            if (sent.startsWith("0501000b")) {
                rig.receive("06000009" + sent.substring(8, 24) + "00");
            }
        }
    }

    @Test
    void chatty_nobodyAcknowledges_holdsBack() {
        Device device = rig.welcomed(Behaviours.chatty(50, new Payload(Payload.Kind.FIXED, 3, 3)));
        rig.runTo(device, 10_000);
        assertEquals(64, rig.seen.stream().filter("message SENT"::equals).count());
        assertTrue(rig.seen.contains("message HELD_BACK"));
    }

    @Test
    void message_pushedByTheOperator_isNoneOfItsOwn() {
        Device device = rig.welcomed(Behaviours.chatty(50, new Payload(Payload.Kind.FIXED, 3, 3)));
        rig.runTo(device, 1_000);
        rig.forget();
        rig.receive("05000008" + "0006412f00000001");
        assertEquals(List.of(), rig.seen);
        assertTrue(device.isOpen());
    }

    @Test
    void life_ofTheSameSeedAndIndex_isTheSame() {
        List<String> lives = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Rig world = new Rig()) {
                Device device = world.welcomed(Behaviours.chatty(3, new Payload(Payload.Kind.UNIFORM, 0, 500)));
                StringBuilder life = new StringBuilder();
                for (int act = 0; act < 200; act++) {
                    world.step(device);
                    life.append(world.now).append(world.sent());
                }
                lives.add(life.toString());
            }
        }
        assertEquals(lives.get(0), lives.get(1));
    }
}
