package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate of accepts, under a clock that the test moves. */
class AcceptLimitTest {
    private static final long SECOND = 1_000_000_000;

    private long nowNanos;

    private static AcceptLimitSettings rate(int perSecond, int burst) {
        return new AcceptLimitSettings(perSecond, burst, Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    /** So many are accepted at once. */
    private static int accepted(AcceptLimit limit, AcceptLimitSettings settings) {
        int accepted = 0;
        while (limit.tryAccept(settings)) {
            accepted++;
        }
        return accepted;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 5 * SECOND, Long.MIN_VALUE})
    void tryAccept_afterRest_allowsTheBurstAndNoMore(long startNanos) {
        nowNanos = startNanos;
        AcceptLimitSettings settings = rate(10, 5);
        AcceptLimit limit = new AcceptLimit(settings, () -> nowNanos);
        nowNanos += 10 * SECOND;
        assertEquals(5, accepted(limit, settings));
        nowNanos += SECOND / 10 - 1;
        assertEquals(0, accepted(limit, settings));
        nowNanos += 1;
        assertEquals(1, accepted(limit, settings));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 1_000, 700_001, 1_000_000})
    void tryAccept_inTheLongRun_keepsTheRate(int perSecond) {
        AcceptLimitSettings settings = rate(perSecond, 10);
        AcceptLimit limit = new AcceptLimit(settings, () -> nowNanos);
        long steps = 100_000;
        long stepNanos = SECOND / perSecond / 3 + 1;
        long taken = 0;
        for (long i = 0; i < steps; i++) {
            taken += accepted(limit, settings);
            nowNanos += stepNanos;
        }
        double wanted = steps * (double) stepNanos * perSecond / SECOND;
        assertTrue(taken >= wanted * 0.998 && taken <= wanted * 1.002 + 10, taken + " of " + wanted);
    }

    @Test
    void reconfigure_afterABurstAtALowRate_theNewRateIsInForceAtOnce() {
        AcceptLimitSettings slow = rate(1, 1_000_000);
        AcceptLimit limit = new AcceptLimit(slow, () -> nowNanos);
        assertEquals(1_000_000, accepted(limit, slow));
        AcceptLimitSettings quick = rate(1_000, 10);
        limit.reconfigure(quick);
        assertEquals(0, accepted(limit, quick), "not a burst for every reload");
        nowNanos += SECOND / 1_000;
        assertEquals(1, accepted(limit, quick));
        nowNanos += SECOND;
        assertEquals(10, accepted(limit, quick));
    }

    @Test
    void turnAway_moreThanIsGoodForTheEstablished_asksForARestOnce() {
        AcceptLimit limit = new AcceptLimit(rate(1, 1), () -> nowNanos);
        for (int i = 0; i < AcceptLimit.SHED_BURST; i++) {
            limit.turnAway();
        }
        assertFalse(limit.takeTooMany());
        limit.turnAway();
        assertTrue(limit.takeTooMany());
        assertFalse(limit.takeTooMany());
        nowNanos += SECOND;
        limit.turnAway();
        assertFalse(limit.takeTooMany());
        assertEquals(AcceptLimit.SHED_BURST + 2, limit.shed());
    }
}
