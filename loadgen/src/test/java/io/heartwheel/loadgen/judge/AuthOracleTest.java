package io.heartwheel.loadgen.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.AuthOracle.End;
import io.heartwheel.loadgen.judge.AuthOracle.Expiry;
import io.heartwheel.loadgen.judge.AuthOracle.Warning;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import org.junit.jupiter.api.Test;

/** The table of expiries and warnings, milliseconds. */
final class AuthOracleTest {

    private static final long MILLI = 1_000_000L;
    private static final long EXPIRES = 10_000;
    private static final long NONE = -1;

    /** Early by 2 ms is allowed, missed after 900 ms, answers within 400 ms. */
    private static final Contract CONTRACT = ScenarioReader.read(
                    "contract { missed-after = 900ms, answer-within = 400ms, early-allowance = 2ms }\n"
                            + "targets = [{ protocol = tcp, address = \"127.0.0.1:1\" }]",
                    "test")
            .contract();

    private static Expiry judged(long seen, long offered, long own, boolean byGateway, int code) {
        long sent = offered < 0 ? -1 : offered * MILLI;
        return AuthOracle.judge(
                new End(true, EXPIRES * MILLI, sent, seen * MILLI, own * MILLI, byGateway, code), CONTRACT);
    }

    @Test
    void judge_closedWith4008_byTheTimeOfIt() {
        assertEquals(Expiry.EARLY, judged(9_997, NONE, 0, true, 4008));
        assertEquals(Expiry.RIGHT, judged(9_998, NONE, 0, true, 4008));
        assertEquals(Expiry.RIGHT, judged(10_900, NONE, 0, true, 4008));
        assertEquals(Expiry.LATE, judged(10_901, NONE, 0, true, 4008));
        assertEquals(Expiry.RIGHT, judged(11_500, NONE, 700, true, 4008));
    }

    @Test
    void judge_newerTokenNotAnswered_isIgnoredOnceItWasOverdue() {
        assertEquals(Expiry.IGNORED, judged(10_000, 9_500, 0, true, 4008));
        assertEquals(Expiry.RIGHT, judged(10_000, 9_700, 0, true, 4008));
        assertEquals(Expiry.EARLY, judged(9_900, 9_000, 0, true, 4008));
    }

    @Test
    void judge_tokenThatDoesNotExpire_isNeverToBeClosedForIt() {
        End end = new End(false, 0, -1, 5 * MILLI, 0, true, 4008);
        assertEquals(Expiry.EARLY, AuthOracle.judge(end, CONTRACT));
        assertEquals(Expiry.OTHER, AuthOracle.judge(new End(false, 0, -1, 5 * MILLI, 0, true, 4001), CONTRACT));
    }

    @Test
    void judge_otherEnds_areJudgedOnlyAfterTheExpiry() {
        assertEquals(Expiry.OTHER, judged(9_999, NONE, 0, true, 4001));
        assertEquals(Expiry.WRONG_CODE, judged(10_100, NONE, 0, true, 4401));
        assertEquals(Expiry.OTHER, judged(10_100, NONE, 0, false, 0));
        assertEquals(Expiry.MISSED, judged(10_901, NONE, 0, false, 0));
        assertEquals(Expiry.OTHER, judged(10_901, 9_900, 0, false, 0));
    }

    private static Warning warned(long accepted, long now, long remaining) {
        return AuthOracle.judge(accepted * MILLI, EXPIRES * MILLI, 3_000 * MILLI, now * MILLI, 0, remaining, CONTRACT);
    }

    @Test
    void judge_warning_comesInTimeAndTellsWhatIsLeft() {
        assertEquals(Warning.RIGHT, warned(0, 7_000, 3_000));
        assertEquals(Warning.RIGHT, warned(0, 7_900, 2_100));
        assertEquals(Warning.WRONG_TIME, warned(0, 6_990, 3_010));
        assertEquals(Warning.WRONG_TIME, warned(0, 7_901, 2_099));
        assertEquals(Warning.RIGHT, warned(8_500, 8_501, 1_500));
        assertEquals(Warning.WRONG_REMAINING, warned(0, 7_000, 60_000));
    }

    @Test
    void refusedRight_eachAnswer_isRightByWhatItSays() {
        assertTrue(AuthOracle.refusedRight(4401, ""));
        assertTrue(AuthOracle.refusedRight(4207, ""));
        assertTrue(AuthOracle.refusedRight(0, "HTTP/1.1 401 Unauthorized"));
        assertTrue(AuthOracle.refusedRight(0, "HTTP/1.1 503 Service Unavailable"));
        assertFalse(AuthOracle.refusedRight(0, ""));
        assertFalse(AuthOracle.refusedRight(4006, ""));
        assertFalse(AuthOracle.refusedRight(4206, ""));
        assertTrue(AuthOracle.refusesCredential(4206, ""));
        assertFalse(AuthOracle.refusesCredential(4201, ""));
    }
}
