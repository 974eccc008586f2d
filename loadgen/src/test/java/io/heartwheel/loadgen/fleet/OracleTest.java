package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.client.Ending;
import io.heartwheel.loadgen.fleet.Oracle.Judgement;
import org.junit.jupiter.api.Test;

/** What is right and what is wrong, close by close. Allowed silence is 3 s everywhere. */
final class OracleTest {

    private static final long MILLI = 1_000_000L;
    private static final Contract CONTRACT = Contract.of(20, 20);

    @Test
    void silent_closedAfterItsDeadlineWith4001_isDetected() {
        assertEquals(Judgement.DETECTED, silent(Ending.CLOSE, 4001, 3_000));
        assertEquals(Judgement.DETECTED, silent(Ending.CLOSE, 4001, 3_040));
        assertEquals(Judgement.DETECTED, silent(Ending.CLOSE, 4001, 9_000));
    }

    @Test
    void silent_closedWithinTheAllowance_isDetected() {
        assertEquals(Judgement.DETECTED, silent(Ending.CLOSE, 4001, 2_998));
    }

    @Test
    void silent_closedBeforeItsDeadline_isEarlyWhateverTheCode() {
        assertEquals(Judgement.EARLY, silent(Ending.CLOSE, 4001, 2_997));
        assertEquals(Judgement.EARLY, silent(Ending.CLOSE, 4002, 100));
        assertEquals(Judgement.EARLY, silent(Ending.RESET, 0, 2_000));
    }

    @Test
    void silent_closedWithAnotherCodeOrNone_isWrongCode() {
        assertEquals(Judgement.WRONG_CODE, silent(Ending.CLOSE, 4002, 3_010));
        assertEquals(Judgement.WRONG_CODE, silent(Ending.END_OF_STREAM, 0, 3_010));
        assertEquals(Judgement.WRONG_CODE, silent(Ending.RESET, 0, 3_010));
    }

    @Test
    void live_closedThoughItKeptItsPromise_isFalseKill() {
        assertEquals(Judgement.FALSE_KILL, live(Ending.CLOSE, 4001, 1_800, 500));
        assertEquals(Judgement.FALSE_KILL, live(Ending.CLOSE, 4200, 1_800, 1_700));
        assertEquals(Judgement.FALSE_KILL, live(Ending.END_OF_STREAM, 0, 0, 10));
        assertEquals(Judgement.FALSE_KILL, live(Ending.CLOSE, 4001, 2_899, 10));
    }

    @Test
    void live_closedAfterTheGeneratorWasLate_isOwnFault() {
        assertEquals(Judgement.OWN_FAULT, live(Ending.CLOSE, 4001, 2_900, 10));
        assertEquals(Judgement.OWN_FAULT, live(Ending.CLOSE, 4001, 1_800, 3_001));
    }

    @Test
    void silent_closedEarlyAfterTheGeneratorWasLateWithAnEarlierFrame_isOwnFault() {
        Oracle.Close crossed = close(true, Ending.CLOSE, 4001, 3_188, 1_704);
        assertEquals(Judgement.OWN_FAULT, Oracle.judge(crossed, CONTRACT));
    }

    @Test
    void lateness_ofAClose_isMeasuredFromLastFramePlusAllowedSilence() {
        assertEquals(12 * MILLI, close(true, Ending.CLOSE, 4001, 0, 3_012).latenessNanos());
        assertEquals(-5 * MILLI, close(true, Ending.CLOSE, 4001, 0, 2_995).latenessNanos());
    }

    private static Judgement silent(Ending ending, int code, long sinceLastMillis) {
        return Oracle.judge(close(true, ending, code, 1_800, sinceLastMillis), CONTRACT);
    }

    private static Judgement live(Ending ending, int code, long widestMillis, long sinceLastMillis) {
        return Oracle.judge(close(false, ending, code, widestMillis, sinceLastMillis), CONTRACT);
    }

    private static Oracle.Close close(boolean silent, Ending ending, int code, long widest, long sinceLast) {
        long lastSent = 77_000 * MILLI;
        return new Oracle.Close(
                silent, ending, code, lastSent, widest * MILLI, 3_000 * MILLI, lastSent + sinceLast * MILLI);
    }
}
