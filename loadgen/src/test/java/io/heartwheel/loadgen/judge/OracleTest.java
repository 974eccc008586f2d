package io.heartwheel.loadgen.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Timeouts;
import io.heartwheel.loadgen.judge.Oracle.Judgement;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Right and wrong closes, one by one. Allowed silence is 3 s everywhere. */
final class OracleTest {

    private static final long MILLI = 1_000_000L;
    private static final Contract CONTRACT = ScenarioReader.read(
                    "contract { tick = 20ms, slack = 20ms }, targets = [{ address = \"127.0.0.1:1\" }]", "test")
            .contract();
    private static final ServerContract HEARTWHEEL =
            ServerContract.heartwheel(new Timeouts(5_000 * MILLI, 4_000 * MILLI, 128, 8_000 * MILLI));

    @Test
    void wasWaitedFor_firstWordTooLate_isTheGeneratorsFaultAndNoOtherRefusal() {
        long second = 1_000_000_000L;
        assertTrue(Oracle.wasWaitedFor(CloseCodes.HANDSHAKE_TIMEOUT, 2 * second, 2 * second));
        assertTrue(Oracle.wasWaitedFor(408, 2 * second, 2 * second));
        assertTrue(Oracle.wasWaitedFor(CloseCodes.NONE, 1_900_000_000L, 2 * second));
        assertFalse(Oracle.wasWaitedFor(CloseCodes.NONE, 1_890_000_000L, 2 * second));
        assertFalse(Oracle.wasWaitedFor(CloseCodes.HANDSHAKE_TIMEOUT, second, 2 * second));
        assertFalse(Oracle.wasWaitedFor(4201, 3 * second, 2 * second));
    }

    @Test
    void silent_closedAfterItsDeadlineWith4001_isDetected() {
        assertEquals(Judgement.DETECTED, silent(ConnectionEnd.CLOSE, 4001, 3_000));
        assertEquals(Judgement.DETECTED, silent(ConnectionEnd.CLOSE, 4001, 3_040));
        assertEquals(Judgement.DETECTED, silent(ConnectionEnd.CLOSE, 4001, 5_000));
    }

    @Test
    void silent_closedLaterThanMissedAfter_isMissedWhateverTheCode() {
        assertEquals(Judgement.MISSED, silent(ConnectionEnd.CLOSE, 4001, 5_001));
        assertEquals(Judgement.MISSED, silent(ConnectionEnd.CLOSE, 4002, 13_000));
        assertEquals(Judgement.MISSED, silent(ConnectionEnd.RESET, 0, 13_000));
        assertEquals(Judgement.MISSED, until(ExpectedOutcome.UNGREETED, ConnectionEnd.CLOSE, 4006, 7_001));
        assertEquals(Judgement.MISSED, until(ExpectedOutcome.DRIPPING, ConnectionEnd.CLOSE, 4003, 7_001));
    }

    @Test
    void stuckOrVanished_closedLate_isNotTimed() {
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.STUCK, ConnectionEnd.RESET, 0, 17_000));
        assertEquals(Judgement.DETECTED, dark(ConnectionEnd.RESET, 0, 17_000));
    }

    @Test
    void silent_seenLateBecauseTheGeneratorStoodStill_isLateByTheRestOnly() {
        Oracle.Close close = seenLate(3_000, 2_990);
        assertEquals(Judgement.DETECTED, Oracle.judge(close, CONTRACT));
        assertEquals(10 * MILLI, close.latenessNanos());
        assertEquals(3_000 * MILLI, close.seenLatenessNanos());
        assertEquals(Judgement.MISSED, Oracle.judge(seenLate(3_000, 999), CONTRACT));
        assertEquals(0, seenLate(3_000, 4_000).latenessNanos());
    }

    @Test
    void silent_closedEarlyWhileTheGeneratorStoodStill_isEarlyAllTheSame() {
        assertEquals(Judgement.EARLY, Oracle.judge(seenLate(-500, 4_000), CONTRACT));
        assertEquals(-500 * MILLI, seenLate(-500, 4_000).latenessNanos());
    }

    private static Oracle.Close seenLate(long lateMillis, long ownMillis) {
        long deadline = 80_000 * MILLI;
        return new Oracle.Close(
                ExpectedOutcome.SILENT,
                ConnectionEnd.CLOSE,
                4001,
                77_000 * MILLI,
                1_800 * MILLI,
                3_000 * MILLI,
                deadline,
                deadline,
                deadline + lateMillis * MILLI,
                ownMillis * MILLI,
                HEARTWHEEL.ends(ExpectedOutcome.SILENT));
    }

    @Test
    void returned_withinWindowOrNot_isJudgedByIt() {
        Comeback.Window window = new Comeback.Window(1_000 * MILLI, 3_000 * MILLI);
        assertEquals(Oracle.Return.EARLY, returned(window, 999, 1_010));
        assertEquals(Oracle.Return.IN_WINDOW, returned(window, 1_000, 1_010));
        assertEquals(Oracle.Return.IN_WINDOW, returned(window, 3_000, 3_010));
        long patience = CONTRACT.answerWithinNanos() / MILLI;
        assertEquals(Oracle.Return.IN_WINDOW, returned(window, 3_000, 3_000 + patience));
        assertEquals(Oracle.Return.LATE, returned(window, 3_000, 3_001 + patience));
        assertEquals(Oracle.Return.LATE, returned(window, 9_000, 9_010));
    }

    private static Oracle.Return returned(Comeback.Window window, long calledMillis, long welcomedMillis) {
        return Oracle.judge(window, calledMillis * MILLI, welcomedMillis * MILLI, CONTRACT);
    }

    @Test
    void silent_closedWithinTheAllowance_isDetected() {
        assertEquals(Judgement.DETECTED, silent(ConnectionEnd.CLOSE, 4001, 2_998));
    }

    @Test
    void silent_closedBeforeItsDeadline_isEarlyWhateverTheCode() {
        assertEquals(Judgement.EARLY, silent(ConnectionEnd.CLOSE, 4001, 2_997));
        assertEquals(Judgement.EARLY, silent(ConnectionEnd.CLOSE, 4002, 100));
        assertEquals(Judgement.EARLY, silent(ConnectionEnd.RESET, 0, 2_000));
    }

    @Test
    void silent_closedWithAnotherCodeOrNone_isWrongCode() {
        assertEquals(Judgement.WRONG_CODE, silent(ConnectionEnd.CLOSE, 4002, 3_010));
        assertEquals(Judgement.WRONG_CODE, silent(ConnectionEnd.END_OF_STREAM, 0, 3_010));
        assertEquals(Judgement.WRONG_CODE, silent(ConnectionEnd.RESET, 0, 3_010));
    }

    @Test
    void live_closedThoughItKeptItsPromise_isFalseKill() {
        assertEquals(Judgement.FALSE_KILL, live(ConnectionEnd.CLOSE, 4001, 1_800, 500));
        assertEquals(Judgement.FALSE_KILL, live(ConnectionEnd.CLOSE, 4200, 1_800, 1_700));
        assertEquals(Judgement.FALSE_KILL, live(ConnectionEnd.END_OF_STREAM, 0, 0, 10));
        assertEquals(Judgement.FALSE_KILL, live(ConnectionEnd.CLOSE, 4001, 2_899, 10));
    }

    @Test
    void live_closedAfterTheGeneratorWasLate_isOwnFault() {
        assertEquals(Judgement.OWN_FAULT, live(ConnectionEnd.CLOSE, 4001, 2_900, 10));
        assertEquals(Judgement.OWN_FAULT, live(ConnectionEnd.CLOSE, 4001, 1_800, 3_001));
    }

    @Test
    void silent_closedEarlyAfterTheGeneratorWasLateWithAnEarlierFrame_isOwnFault() {
        Oracle.Close crossed = close(ExpectedOutcome.SILENT, ConnectionEnd.CLOSE, 4001, 3_188, 1_704);
        assertEquals(Judgement.OWN_FAULT, Oracle.judge(crossed, CONTRACT));
    }

    @Test
    void ungreeted_closed_mustBeInTimeAndByCodeIfItIsToldOne() {
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.UNGREETED, ConnectionEnd.CLOSE, 4006, 5_001));
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.UNGREETED, ConnectionEnd.END_OF_STREAM, 0, 5_001));
        assertEquals(Judgement.WRONG_CODE, until(ExpectedOutcome.UNGREETED, ConnectionEnd.CLOSE, 4001, 5_001));
        assertEquals(Judgement.EARLY, until(ExpectedOutcome.UNGREETED, ConnectionEnd.CLOSE, 4006, 3_990));
        assertEquals(Judgement.EARLY, until(ExpectedOutcome.UNGREETED, ConnectionEnd.RESET, 0, 3_990));
    }

    @Test
    void dripping_closed_mustBeInTimeAndByCode() {
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.DRIPPING, ConnectionEnd.CLOSE, 4003, 5_001));
        assertEquals(Judgement.WRONG_CODE, until(ExpectedOutcome.DRIPPING, ConnectionEnd.CLOSE, 4001, 5_001));
        assertEquals(Judgement.WRONG_CODE, until(ExpectedOutcome.DRIPPING, ConnectionEnd.RESET, 0, 5_001));
        assertEquals(Judgement.EARLY, until(ExpectedOutcome.DRIPPING, ConnectionEnd.CLOSE, 4003, 3_990));
    }

    @Test
    void stuck_closed_mayBreakButNotWithAnotherCode() {
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.STUCK, ConnectionEnd.RESET, 0, 5_001));
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.STUCK, ConnectionEnd.END_OF_STREAM, 0, 4_001));
        assertEquals(Judgement.DETECTED, until(ExpectedOutcome.STUCK, ConnectionEnd.CLOSE, 4004, 5_001));
        assertEquals(Judgement.WRONG_CODE, until(ExpectedOutcome.STUCK, ConnectionEnd.CLOSE, 4001, 5_001));
    }

    @Test
    void stuck_closedSoonerThanItCanHaveBeenStuck_isEarly() {
        assertEquals(Judgement.EARLY, until(ExpectedOutcome.STUCK, ConnectionEnd.RESET, 0, 3_990));
    }

    @Test
    void vanished_foundClosed_isRightUnlessItWasAwayForLess() {
        assertEquals(Judgement.DETECTED, dark(ConnectionEnd.RESET, 0, 3_000));
        assertEquals(Judgement.DETECTED, dark(ConnectionEnd.CLOSE, 4001, 3_500));
        assertEquals(Judgement.WRONG_CODE, dark(ConnectionEnd.CLOSE, 4002, 3_500));
        assertEquals(Judgement.FALSE_KILL, dark(ConnectionEnd.RESET, 0, 2_999));
    }

    @Test
    void silent_serverThatEndsByFin_isRightOnlySo() {
        AllowedEnds fin = HEARTWHEEL
                .closingBy(new AllowedEnds(false, true, false, List.of()))
                .ends(ExpectedOutcome.SILENT);
        assertEquals(Judgement.DETECTED, silent(fin, ConnectionEnd.END_OF_STREAM, 0));
        assertEquals(Judgement.WRONG_CODE, silent(fin, ConnectionEnd.RESET, 0));
        assertEquals(Judgement.WRONG_CODE, silent(fin, ConnectionEnd.CLOSE, 4001));
        assertEquals(Judgement.DETECTED, silent(AllowedEnds.ANY, ConnectionEnd.CLOSE, 1001));
    }

    private static Judgement silent(AllowedEnds due, ConnectionEnd ending, int code) {
        Oracle.Close close = new Oracle.Close(
                ExpectedOutcome.SILENT,
                ending,
                code,
                0,
                0,
                3_000 * MILLI,
                3_000 * MILLI,
                3_000 * MILLI,
                3_010 * MILLI,
                0,
                due);
        return Oracle.judge(close, CONTRACT);
    }

    @Test
    void lateness_ofAClose_isMeasuredFromItsDeadline() {
        assertEquals(
                12 * MILLI,
                close(ExpectedOutcome.SILENT, ConnectionEnd.CLOSE, 4001, 0, 3_012)
                        .latenessNanos());
        assertEquals(
                -5 * MILLI,
                close(ExpectedOutcome.SILENT, ConnectionEnd.CLOSE, 4001, 0, 2_995)
                        .latenessNanos());
    }

    private static Judgement silent(ConnectionEnd ending, int code, long sinceLastMillis) {
        return Oracle.judge(close(ExpectedOutcome.SILENT, ending, code, 1_800, sinceLastMillis), CONTRACT);
    }

    private static Judgement live(ConnectionEnd ending, int code, long widestMillis, long sinceLastMillis) {
        return Oracle.judge(close(ExpectedOutcome.LIVE, ending, code, widestMillis, sinceLastMillis), CONTRACT);
    }

    private static Judgement dark(ConnectionEnd ending, int code, long sinceLastMillis) {
        return Oracle.judge(close(ExpectedOutcome.VANISHED, ending, code, 1_800, sinceLastMillis), CONTRACT);
    }

    /** Of a device whose deadline, somewhere between 4 and 5 s, has nothing to do with its last frame. */
    private static Judgement until(ExpectedOutcome expectedOutcome, ConnectionEnd ending, int code, long seenMillis) {
        Oracle.Close close = new Oracle.Close(
                expectedOutcome,
                ending,
                code,
                -1,
                0,
                3_000 * MILLI,
                4_000 * MILLI,
                5_000 * MILLI,
                seenMillis * MILLI,
                0,
                HEARTWHEEL.ends(expectedOutcome));
        return Oracle.judge(close, CONTRACT);
    }

    private static Oracle.Close close(
            ExpectedOutcome expectedOutcome, ConnectionEnd ending, int code, long widest, long sinceLast) {
        long lastSent = 77_000 * MILLI;
        long allowed = 3_000 * MILLI;
        return new Oracle.Close(
                expectedOutcome,
                ending,
                code,
                lastSent,
                widest * MILLI,
                allowed,
                lastSent + allowed,
                lastSent + allowed,
                lastSent + sinceLast * MILLI,
                0,
                HEARTWHEEL.ends(expectedOutcome));
    }
}
