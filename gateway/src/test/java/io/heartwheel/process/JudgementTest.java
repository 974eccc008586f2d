package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of the herds finds every fault: interval two seconds, closed after three. */
class JudgementTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;
    /** Long past at the real clock's now, whatever that is. */
    private static final long START = System.nanoTime() - 1_000 * SECOND;

    private static final long SENT = START + 10 * SECOND;

    @Test
    void of_openLiveAndPunctualSilent_isClean() {
        Judgement judgement = judge(live(SECOND, 0, 0), silent(SENT + 3 * SECOND + 20 * MILLI, 4001));
        assertTrue(judgement.isClean(), judgement::toString);
        assertEquals(1, judgement.live());
        assertEquals(1, judgement.silent());
        assertEquals(20, judgement.lateness(1), 1e-6);
    }

    @Test
    void of_liveClosedForSilence_isAFalseKill() {
        assertEquals(1, judge(live(SECOND, SENT + SECOND, 4001)).falseKills());
    }

    @Test
    void of_liveThatLeftAGap_isABrokenPromise() {
        Judgement judgement = judge(live(3 * SECOND, SENT + 3 * SECOND, 4001));
        assertEquals(0, judgement.falseKills());
        assertEquals(1, judgement.brokenPromises());
    }

    @Test
    void of_liveThatWasReset_isLost() {
        Judgement judgement = judge(live(SECOND, SENT + SECOND, 0));
        assertEquals(1, judgement.lost());
        assertFalse(judgement.isClean());
    }

    @Test
    void of_silentClosedAMomentEarly_isAFalseKill() {
        assertEquals(1, judge(silent(SENT + 3 * SECOND - 1, 4001)).falseKills());
    }

    @Test
    void of_silentClosedLongAfterOrNever_isMissed() {
        assertEquals(1, judge(silent(SENT + 8 * SECOND, 4001)).missedKills());
        assertEquals(1, judge(silent(0, 0)).missedKills());
    }

    @Test
    void of_silentClosedWithoutTheCreditOfAStall_isAFalseKill() {
        // it stood from one second after the last frame until six after
        Stall stall = new Stall(SENT + SECOND - MILLI, SENT + SECOND, SENT + 6 * SECOND, SENT + 6 * SECOND + MILLI);
        assertEquals(
                1,
                judgeWith(stall, silent(SENT + 6 * SECOND + 10 * MILLI, 4001)).falseKills());
        assertTrue(
                judgeWith(stall, silent(SENT + 8 * SECOND + 10 * MILLI, 4001)).isClean());
        assertEquals(1, judgeWith(stall, silent(SENT + 13 * SECOND, 4001)).missedKills());
    }

    @Test
    void credit_stallOutsideTheSilence_isNone() {
        Stall before = new Stall(START, START, START + SECOND, START + SECOND);
        Stall after = new Stall(SENT + 4 * SECOND, SENT + 4 * SECOND, SENT + 9 * SECOND, SENT + 9 * SECOND);
        assertEquals(SENT + 3 * SECOND, Stall.earliestNanos(SENT, 3 * SECOND, List.of(before, after)));
        assertEquals(SENT + 3 * SECOND, Stall.latestNanos(SENT, 3 * SECOND, List.of(before, after)));
    }

    @Test
    void credit_stallTooShortToBeOne_isNotOwedAndMayBeGiven() {
        Stall pause = new Stall(SENT + SECOND, SENT + SECOND, SENT + SECOND + 200 * MILLI, SENT + SECOND + 200 * MILLI);
        assertEquals(SENT + 3 * SECOND, Stall.earliestNanos(SENT, 3 * SECOND, List.of(pause)));
        assertEquals(SENT + 3 * SECOND + 200 * MILLI, Stall.latestNanos(SENT, 3 * SECOND, List.of(pause)));
    }

    @Test
    void credit_stallReachedOnlyByTheCreditOfAnother_counts() {
        Stall first = new Stall(SENT + 2 * SECOND, SENT + 2 * SECOND, SENT + 4 * SECOND, SENT + 4 * SECOND);
        Stall second =
                new Stall(SENT + 4 * SECOND + 1, SENT + 4 * SECOND + 1, SENT + 5 * SECOND + 1, SENT + 5 * SECOND + 1);
        assertEquals(SENT + 6 * SECOND, Stall.earliestNanos(SENT, 3 * SECOND, List.of(first, second)));
    }

    private static Judgement judge(DeviceReport... herd) {
        return Judgement.of(List.of(herd), Contract.with());
    }

    private static Judgement judgeWith(Stall stall, DeviceReport... herd) {
        return Judgement.of(List.of(herd), Contract.with(stall));
    }

    private static DeviceReport live(long widestGapNanos, long endedNanos, int code) {
        return new DeviceReport(
                "live", false, 2 * SECOND, 150, SENT, widestGapNanos, 0, SENT, endedNanos, code, 0, 0, 9);
    }

    private static DeviceReport silent(long endedNanos, int code) {
        return new DeviceReport("silent", true, 2 * SECOND, 150, SENT, 3 * SECOND, 0, SENT, endedNanos, code, 1, 0, 9);
    }
}
