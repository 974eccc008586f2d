package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings.Failures;
import io.heartwheel.net.Networks;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthFailuresTest {
    private static final byte[] SOURCE = {10, 0, 0, 1};
    private static final byte[] OTHER = {10, 0, 0, 2};
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static Failures limits(int tracked) {
        return new Failures(true, 10, 6, Networks.parse(List.of("192.0.2.0/24")), tracked);
    }

    private static int untilLimited(AuthFailures failures, byte[] source, long nowNanos) {
        int count = 0;
        while (!failures.isLimited(source, nowNanos)) {
            failures.failed(source, nowNanos);
            count++;
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 5, -1})
    void failed_burstIsUsedUp_limitsForTenSecondsEach(long startNanos) {
        AuthFailures failures = new AuthFailures(limits(1_024), startNanos);

        assertEquals(10, untilLimited(failures, SOURCE, startNanos));
        assertTrue(failures.isLimited(SOURCE, startNanos + 10 * SECOND - 1));
        assertEquals(1, untilLimited(failures, SOURCE, startNanos + 10 * SECOND));
        assertEquals(1, untilLimited(failures, SOURCE, startNanos + 20 * SECOND));
        assertEquals(10, untilLimited(failures, SOURCE, startNanos + 200 * SECOND));
    }

    @Test
    void failed_oneSource_leavesOthersAlone() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        untilLimited(failures, SOURCE, 0);

        assertFalse(failures.isLimited(OTHER, 0));
        assertFalse(failures.isLimited(new byte[0], 0));
    }

    @Test
    void failed_exemptOrUnknownSource_isNotCounted() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        for (byte[] source : List.of(new byte[] {(byte) 192, 0, 2, 7}, new byte[0])) {
            for (int i = 0; i < 100; i++) {
                failures.failed(source, 0);
            }
            assertFalse(failures.isLimited(source, 0));
        }
    }

    @Test
    void failed_addressesOfOneNetwork_areOneSource() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        byte[] one = new byte[16];
        one[0] = 0x20;
        one[7] = 1;
        byte[] sameNetwork = one.clone();
        sameNetwork[15] = 9;
        byte[] next = one.clone();
        next[7] = 2;
        untilLimited(failures, one, 0);

        assertTrue(failures.isLimited(sameNetwork, 0));
        assertFalse(failures.isLimited(next, 0));
    }

    /** As many as may be under way when the limit is reached lengthen the wait, and no more. */
    @Test
    void failed_farOverTheLimit_countsAsManyAsCouldWait() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        for (int i = 0; i < 5_000; i++) {
            failures.failed(SOURCE, 0);
        }

        long most = 10 + AuthFailures.MOST_UNANSWERED + 1;
        assertTrue(failures.isLimited(SOURCE, most * 10 * SECOND - 1));
        assertFalse(failures.isLimited(SOURCE, most * 10 * SECOND));
    }

    @Test
    void begins_inASetOfSourcesWithDebts_takesNobodysPlace() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        untilLimited(failures, SOURCE, 0);
        for (int i = 0; i < 100_000; i++) {
            failures.failed(ByteBuffer.allocate(4).putInt(0x0B000000 + i).array(), 0);
        }
        for (int i = 0; i < 1_000_000; i++) {
            assertTrue(failures.begins(
                    ByteBuffer.allocate(4).putInt(0x0C000000 + i).array(), 0, SECOND));
        }

        assertTrue(failures.isLimited(SOURCE, 0));
    }

    /** Asks about as many devices as may wait for an answer. */
    private static int untilRefused(AuthFailures failures, long nowNanos, long deadlineNanos) {
        int count = 0;
        while (failures.begins(SOURCE, nowNanos, deadlineNanos)) {
            count++;
        }
        return count;
    }

    @Test
    void answered_afterTheDeadline_makesNoRoomForMore() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        int most = untilRefused(failures, 0, SECOND);
        assertEquals(10 + AuthFailures.MOST_UNANSWERED, most);

        assertEquals(most, untilRefused(failures, 2 * SECOND, 3 * SECOND));
        failures.answered(SOURCE, 0);
        assertEquals(0, untilRefused(failures, 2 * SECOND, 3 * SECOND));
        failures.answered(SOURCE, 2 * SECOND);
        assertEquals(1, untilRefused(failures, 2 * SECOND, 3 * SECOND));
    }

    /** A source that found no place was not counted, and has one later. */
    @Test
    void answered_ofASourceThatWasNotCounted_makesNoRoomForMore() {
        AuthFailures failures = new AuthFailures(limits(1), 0);
        for (int i = 0; i < 1_000; i++) {
            failures.failed(ByteBuffer.allocate(4).putInt(0x0B000000 + i).array(), 0);
        }
        for (int i = 0; i < 1_000; i++) {
            assertTrue(failures.begins(SOURCE, 0, 99 * SECOND));
        }
        int most = untilRefused(failures, 11 * SECOND, 99 * SECOND);

        assertEquals(10 + AuthFailures.MOST_UNANSWERED, most);
        failures.answered(SOURCE, 0);
        assertEquals(0, untilRefused(failures, 11 * SECOND, 99 * SECOND));
    }

    @Test
    void failed_fromAMillionSources_keepsTheWorstDebts() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        untilLimited(failures, SOURCE, 0);
        for (int i = 0; i < 1_000_000; i++) {
            failures.failed(ByteBuffer.allocate(4).putInt(0x0B000000 + i).array(), 0);
        }

        assertTrue(failures.isLimited(SOURCE, 0));
    }

    @Test
    void isLimited_switchedOff_isNever() {
        AuthFailures failures = new AuthFailures(new Failures(false, 1, 1, Networks.NONE, 1_024), 0);
        for (int i = 0; i < 100; i++) {
            failures.failed(SOURCE, 0);
        }

        assertFalse(failures.isLimited(SOURCE, 0));
    }

    @Test
    void reconfigure_otherSizeOrSwitch_isRefused() {
        AuthFailures failures = new AuthFailures(limits(1_024), 0);
        untilLimited(failures, SOURCE, 0);

        assertFalse(failures.reconfigure(limits(2_048)));
        assertFalse(failures.reconfigure(new Failures(false, 10, 6, Networks.NONE, 1_024)));
        assertTrue(failures.isLimited(SOURCE, 0));
        assertTrue(failures.reconfigure(new Failures(true, 11, 6, Networks.NONE, 1_024)));
        assertFalse(failures.isLimited(SOURCE, 0));
    }
}
