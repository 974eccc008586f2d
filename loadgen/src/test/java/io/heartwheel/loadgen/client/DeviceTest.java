package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static io.heartwheel.loadgen.client.Rig.close;
import static io.heartwheel.loadgen.client.Rig.pong;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One device over TCP frames, in virtual time: greeting, heartbeats, answers, the end. */
final class DeviceTest {

    private final Rig rig = new Rig();

    @AfterEach
    void tidy() {
        rig.close();
    }

    private Device welcomed() {
        return rig.welcomed(Behaviours.steady());
    }

    @Test
    void active_connected_saysHello() {
        rig.connected(Behaviours.steady());
        assertTrue(rig.sent().startsWith("0100002b4857010000" + "0007d0"));
    }

    @Test
    void welcome_inPieces_opensAndFilesTheFirstBeat() {
        rig.now = 50 * MILLI;
        Device device = rig.connected(Behaviours.steady());
        rig.receive(WELCOME.substring(0, 10));
        assertFalse(device.isOpen());
        rig.receive(WELCOME.substring(10));
        assertTrue(device.isOpen());
        assertEquals(3_000 * MILLI, device.allowedSilenceNanos());
        assertTrue(rig.due > rig.now && rig.due <= rig.now + 1_800 * MILLI, "filed at " + rig.due);
        assertEquals(List.of("opened"), rig.seen);
    }

    @Test
    void beat_answered_isMeasuredFromTheIntendedTime() {
        Device device = welcomed();
        rig.now = 1_010 * MILLI;
        assertEquals(2_800 * MILLI, device.beat(1_000 * MILLI));
        assertEquals("0300000400000001", rig.sent());
        rig.now = 1_015 * MILLI;
        rig.receive(pong(1));
        assertEquals(List.of("beat lag 10", "answered 15 uncorrected 5"), rig.seen);
    }

    @Test
    void beat_olderOneAnsweredAfterANewerWasSent_isReckonedBack() {
        Device device = welcomed();
        rig.now = 1_000 * MILLI;
        device.beat(1_000 * MILLI);
        rig.now = 2_800 * MILLI;
        device.beat(2_800 * MILLI);
        rig.now = 2_900 * MILLI;
        rig.receive(pong(1) + pong(2));
        assertEquals(
                List.of(
                        "late: heartbeat 1 of 1.000 s was answered after 1900 ms, 900 ms late",
                        "answered 1900 uncorrected -",
                        "answered 100 uncorrected 100"),
                rig.seen.subList(2, 5));
        assertEquals(0, device.overdueAnswers(rig.now));
    }

    private void beatAt(Device device, long millis) {
        rig.now = Math.max(rig.now, millis * MILLI);
        device.beat(millis * MILLI);
    }

    private List<String> unanswered() {
        return rig.seen.stream()
                .filter(line -> line.startsWith("unanswered") || line.startsWith("late"))
                .toList();
    }

    @Test
    void answer_olderOnesLeftOut_areEachCountedWhenTheirTimeIsOver() {
        Device device = welcomed();
        beatAt(device, 1_000);
        rig.receive(pong(1));
        assertEquals(List.of(), unanswered());
        beatAt(device, 2_800);
        beatAt(device, 4_600);
        beatAt(device, 6_400);
        rig.receive(pong(4));
        device.judgeMissing(rig.now);
        assertEquals(
                List.of("unanswered 2 proven: heartbeats 2 to 3 never answered, though later ones were"), unanswered());
        assertEquals(0, device.overdueAnswers(Long.MAX_VALUE));
    }

    @Test
    void answer_lateBehindALaterOne_isLateByHowMuchAndNoBreach() {
        Device device = welcomed();
        beatAt(device, 1_000);
        beatAt(device, 2_800);
        rig.receive(pong(2));
        rig.now = 3_500 * MILLI;
        rig.receive(pong(1));
        assertEquals(List.of("late: heartbeat 1 of 1.000 s was answered after 2500 ms, 1500 ms late"), unanswered());
        device.judgeMissing(rig.now);
        assertEquals(1, unanswered().size());
        assertTrue(rig.seen.stream().noneMatch(line -> line.startsWith("violated")), rig.seen::toString);
    }

    @Test
    void answer_seventyLeftOut_areAllCounted() {
        Device device = welcomed();
        for (int beat = 1; beat <= 71; beat++) {
            beatAt(device, 1_000 + 1_800L * beat);
        }
        rig.receive(pong(71));
        device.judgeMissing(rig.now + 10_000 * MILLI);
        assertEquals(
                List.of(
                        "unanswered 7 proven: 7 heartbeats never answered, though later ones were",
                        "unanswered 63 proven: heartbeats 8 to 70 never answered, though later ones were"),
                unanswered());
    }

    @Test
    void answer_heartbeatItselfWasSentLate_isNotLateForThat() {
        Device device = welcomed();
        rig.now = 3_000 * MILLI;
        device.beat(1_000 * MILLI);
        device.beat(2_800 * MILLI);
        rig.now = 3_900 * MILLI;
        rig.receive(pong(1) + pong(2));
        assertEquals(List.of(), unanswered());
        beatAt(device, 4_600);
        rig.now = 5_700 * MILLI;
        rig.receive(pong(3));
        assertEquals(List.of("late: heartbeat 3 of 4.600 s was answered after 1100 ms, 100 ms late"), unanswered());
    }

    @Test
    void answer_afterTheNetworkWasCut_isNotLateForThat() {
        Device device = welcomed();
        beatAt(device, 1_000);
        device.cut();
        rig.now = 3_500 * MILLI;
        device.heal();
        beatAt(device, 5_000);
        rig.now = 6_500 * MILLI;
        rig.receive(pong(1) + pong(2));
        rig.receive(pong(3));
        assertEquals(List.of(), unanswered());
        beatAt(device, 7_000);
        rig.now = 8_001 * MILLI;
        rig.receive(pong(4));
        assertEquals(List.of("late: heartbeat 4 of 7.000 s was answered after 1001 ms, 1 ms late"), unanswered());
    }

    @Test
    void answer_whileTheScenarioBreaksThings_isNotLateForThat() {
        Device device = welcomed();
        beatAt(device, 1_000);
        rig.loopContext.outageUntil(3_000 * MILLI);
        rig.now = 2_900 * MILLI;
        rig.receive(pong(1));
        assertEquals(List.of(), unanswered());
    }

    @Test
    void overdueAnswers_unanswered_countsOnlyThoseDueBefore() {
        Device device = welcomed();
        device.beat(1_000 * MILLI);
        device.beat(2_800 * MILLI);
        device.beat(4_600 * MILLI);
        assertEquals(0, device.overdueAnswers(999 * MILLI));
        assertEquals(1, device.overdueAnswers(1_000 * MILLI));
        assertEquals(2, device.overdueAnswers(4_599 * MILLI));
        assertEquals(3, device.overdueAnswers(4_600 * MILLI));
    }

    @Test
    void beat_jittered_comesEarlierAndNeverLater() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20; i++) {
            double jitter = random.nextDouble(0.01, 0.99);
            try (Rig jittering = new Rig(Comeback.NEVER, jitter)) {
                Device device = jittering.welcomed(Behaviours.steady());
                long least = Long.MAX_VALUE;
                long most = 0;
                for (int beat = 0; beat < 100; beat++) {
                    long before = jittering.due;
                    jittering.step(device);
                    least = Math.min(least, jittering.due - before);
                    most = Math.max(most, jittering.due - before);
                }
                String told = "jitter " + jitter + ": " + least + ".." + most + ", seed " + seed;
                assertTrue(most <= Rig.PERIOD_MILLIS * MILLI, told);
                assertTrue(least >= (1 - jitter) * Rig.PERIOD_MILLIS * MILLI - 2 * MILLI, told);
                assertTrue(most - least > jitter / 2 * Rig.PERIOD_MILLIS * MILLI, told);
                assertTrue(device.widestGapNanos() <= Rig.PERIOD_MILLIS * MILLI, told);
            }
        }
    }

    @Test
    void probe_live_isAnsweredWithTheSameBytes() {
        welcomed();
        rig.receive("03000003cafe01");
        assertEquals("04000003cafe01", rig.sent());
    }

    @Test
    void close_silentDevice_isTakenDownAndTheSocketLeftToTheGateway() {
        Device device = welcomed();
        device.beat(1_000 * MILLI);
        device.fallSilent();
        rig.now = 4_010 * MILLI;
        rig.receive(close(4001));
        assertTrue(device.isClosing());
        assertTrue(rig.channel().isOpen());
        assertEquals(4_010 * MILLI, device.endedNanos());
        rig.channel().close();
        assertEquals(List.of("close expected SILENT", "ended CLOSE 4001"), rig.seen.subList(1, 3));
        assertTrue(device.isGone());
    }

    @Test
    void close_liveDevice_hangsUp() {
        Device device = welcomed();
        rig.receive(close(4001));
        assertFalse(rig.channel().isOpen());
        assertEquals(List.of("ended CLOSE 4001"), rig.seen);
        assertTrue(device.isGone());
    }

    @Test
    void bytesAfterClose_areAViolation() {
        Device device = welcomed();
        device.fallSilent();
        rig.receive(close(4001));
        rig.receive("03000000");
        assertEquals("violated 4 bytes after CLOSE", rig.seen.get(rig.seen.size() - 1));
    }

    @Test
    void pong_nobodyAskedFor_countsOnlyWithoutBytes() {
        welcomed();
        rig.receive("04000000");
        assertEquals(List.of(), rig.seen);
        rig.receive(pong(9));
        assertEquals("violated PONG 9: need over 0, at most 0 (4406)", rig.seen.get(0));
        assertFalse(rig.channel().isOpen());
    }

    @Test
    void close_beforeWelcome_isARefusal() {
        Device device = rig.connected(Behaviours.steady());
        rig.receive(close(4201));
        assertEquals("refused CLOSE 4201", rig.seen.get(0));
        assertTrue(device.isFinished());
    }

    @Test
    void widestGap_betweenFrames_isKept() {
        Device device = welcomed();
        rig.now = 1_000 * MILLI;
        device.beat(rig.now);
        rig.now = 2_700 * MILLI;
        device.beat(rig.now);
        rig.now = 2_800 * MILLI;
        device.beat(rig.now);
        assertEquals(1_700 * MILLI, device.widestGapNanos());
    }
}
