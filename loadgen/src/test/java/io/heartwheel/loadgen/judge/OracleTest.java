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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** Milliseconds: the widest gap between frames, or -1 where the deadline has nothing to do with them; since the last frame, or the beginning. */
    @ParameterizedTest
    @CsvSource({
        // silent, closed after its deadline with 4001
        "SILENT, CLOSE, 4001, 1800, 3000, DETECTED",
        "SILENT, CLOSE, 4001, 1800, 3040, DETECTED",
        "SILENT, CLOSE, 4001, 1800, 5000, DETECTED",
        // later than missed-after, whatever the code
        "SILENT, CLOSE, 4001, 1800, 5001, MISSED",
        "SILENT, CLOSE, 4002, 1800, 13000, MISSED",
        "SILENT, RESET, 0, 1800, 13000, MISSED",
        "UNGREETED, CLOSE, 4006, -1, 7001, MISSED",
        "DRIPPING, CLOSE, 4003, -1, 7001, MISSED",
        // the stuck and the vanished are not timed
        "STUCK, RESET, 0, -1, 17000, DETECTED",
        "VANISHED, RESET, 0, 1800, 17000, DETECTED",
        // silent, early within the allowance
        "SILENT, CLOSE, 4001, 1800, 2998, DETECTED",
        // silent, before its deadline, whatever the code
        "SILENT, CLOSE, 4001, 1800, 2997, EARLY",
        "SILENT, CLOSE, 4002, 1800, 100, EARLY",
        "SILENT, RESET, 0, 1800, 2000, EARLY",
        // silent, with another code or none
        "SILENT, CLOSE, 4002, 1800, 3010, WRONG_CODE",
        "SILENT, END_OF_STREAM, 0, 1800, 3010, WRONG_CODE",
        "SILENT, RESET, 0, 1800, 3010, WRONG_CODE",
        // live: it kept its promise
        "LIVE, CLOSE, 4001, 1800, 500, FALSE_KILL",
        "LIVE, CLOSE, 4200, 1800, 1700, FALSE_KILL",
        "LIVE, END_OF_STREAM, 0, 0, 10, FALSE_KILL",
        "LIVE, CLOSE, 4001, 2899, 10, FALSE_KILL",
        // live, after the generator was late
        "LIVE, CLOSE, 4001, 2900, 10, OWN_FAULT",
        "LIVE, CLOSE, 4001, 1800, 3001, OWN_FAULT",
        // ungreeted: in time, and by code if it is told one
        "UNGREETED, CLOSE, 4006, -1, 5001, DETECTED",
        "UNGREETED, END_OF_STREAM, 0, -1, 5001, DETECTED",
        "UNGREETED, CLOSE, 4001, -1, 5001, WRONG_CODE",
        "UNGREETED, CLOSE, 4006, -1, 3990, EARLY",
        "UNGREETED, RESET, 0, -1, 3990, EARLY",
        // dripping: in time and by code
        "DRIPPING, CLOSE, 4003, -1, 5001, DETECTED",
        "DRIPPING, CLOSE, 4001, -1, 5001, WRONG_CODE",
        "DRIPPING, RESET, 0, -1, 5001, WRONG_CODE",
        "DRIPPING, CLOSE, 4003, -1, 3990, EARLY",
        // stuck: it may break, but not with another code
        "STUCK, RESET, 0, -1, 5001, DETECTED",
        "STUCK, END_OF_STREAM, 0, -1, 4001, DETECTED",
        "STUCK, CLOSE, 4004, -1, 5001, DETECTED",
        "STUCK, CLOSE, 4001, -1, 5001, WRONG_CODE",
        // stuck, sooner than it can have been
        "STUCK, RESET, 0, -1, 3990, EARLY",
        // vanished: right unless it was away for less
        "VANISHED, RESET, 0, 1800, 3000, DETECTED",
        "VANISHED, CLOSE, 4001, 1800, 3500, DETECTED",
        "VANISHED, CLOSE, 4002, 1800, 3500, WRONG_CODE",
        "VANISHED, RESET, 0, 1800, 2999, FALSE_KILL",
    })
    void judge_eachClose_isWhatItIs(
            ExpectedOutcome outcome, ConnectionEnd ending, int code, long widest, long seen, Judgement judgement) {
        Oracle.Close close =
                widest < 0 ? until(outcome, ending, code, seen) : close(outcome, ending, code, widest, seen);
        assertEquals(judgement, Oracle.judge(close, CONTRACT));
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
        AllowedEnds due = HEARTWHEEL.ends(ExpectedOutcome.SILENT);
        return close(
                ExpectedOutcome.SILENT,
                ConnectionEnd.CLOSE,
                4001,
                77_000,
                1_800,
                80_000,
                80_000 + lateMillis,
                ownMillis,
                due);
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
    void silent_closedEarlyAfterTheGeneratorWasLateWithAnEarlierFrame_isOwnFault() {
        Oracle.Close crossed = close(ExpectedOutcome.SILENT, ConnectionEnd.CLOSE, 4001, 3_188, 1_704);
        assertEquals(Judgement.OWN_FAULT, Oracle.judge(crossed, CONTRACT));
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
        return Oracle.judge(close(ExpectedOutcome.SILENT, ending, code, 0, 0, 3_000, 3_010, 0, due), CONTRACT);
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

    /** Of a device whose deadline, somewhere between 4 and 5 s, has nothing to do with its last frame. */
    private static Oracle.Close until(
            ExpectedOutcome expectedOutcome, ConnectionEnd ending, int code, long seenMillis) {
        return new Oracle.Close(
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
    }

    /** Of a device that was last heard at 77 s. */
    private static Oracle.Close close(
            ExpectedOutcome outcome, ConnectionEnd ending, int code, long widest, long sinceLast) {
        return close(outcome, ending, code, 77_000, widest, 80_000, 77_000 + sinceLast, 0, HEARTWHEEL.ends(outcome));
    }

    private static Oracle.Close close(
            ExpectedOutcome outcome,
            ConnectionEnd ending,
            int code,
            long lastSent,
            long widest,
            long deadline,
            long seen,
            long own,
            AllowedEnds due) {
        return new Oracle.Close(
                outcome,
                ending,
                code,
                lastSent * MILLI,
                widest * MILLI,
                3_000 * MILLI,
                deadline * MILLI,
                deadline * MILLI,
                seen * MILLI,
                own * MILLI,
                due);
    }
}
