package io.heartwheel.auth.jwt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times at which keys are fetched and until which they hold, in virtual time, on clocks that begin anywhere. */
class KeyScheduleTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;

    private double random;

    private KeySchedule schedule(long startNanos) {
        return new KeySchedule(startNanos, Duration.ofMinutes(10), Duration.ofHours(1), () -> random);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 1, -MINUTE})
    void fetched_withoutMaxAge_isDueAgainAtHalfOfTheRefreshOrSooner(long start) {
        KeySchedule schedule = schedule(start);
        assertTrue(schedule.isDue(start));
        schedule.started(start);
        assertFalse(schedule.isDue(start + MINUTE));

        assertEquals(start + 70 * MINUTE, schedule.fetched(start, KeySchedule.NOT_SAID));

        assertFalse(schedule.isDue(start + 5 * MINUTE - 1));
        assertTrue(schedule.isDue(start + 5 * MINUTE));
        random = 1;
        schedule.fetched(start, KeySchedule.NOT_SAID);
        assertEquals(start + 4 * MINUTE, schedule.nextNanos());
    }

    @Test
    void fetched_withMaxAge_holdsItWithinThirtySecondsAndTheRefresh() {
        KeySchedule schedule = schedule(0);

        assertEquals(62 * MINUTE, schedule.fetched(0, 2 * MINUTE));
        assertEquals(MINUTE, schedule.nextNanos());
        assertEquals(60 * MINUTE + 30 * SECOND, schedule.fetched(0, 0));
        assertEquals(70 * MINUTE, schedule.fetched(0, 24 * 60 * MINUTE));
    }

    @Test
    void failed_againAndAgain_waitsWithinALimitThatDoublesUpToAMinute() {
        KeySchedule schedule = schedule(0);
        random = 1;
        for (long limit : new long[] {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
            schedule.started(0);
            schedule.failed(0);
            assertEquals(limit * SECOND, schedule.nextNanos());
            assertTrue(schedule.isFailing());
        }
        random = 0;
        schedule.failed(0);
        assertEquals(SECOND / 5, schedule.nextNanos());
        schedule.fetched(0, KeySchedule.NOT_SAID);
        assertFalse(schedule.isFailing());
    }

    @Test
    void unknownKey_manyTimes_causesOneFetchInThirtySeconds() {
        KeySchedule schedule = schedule(0);
        schedule.started(0);
        assertTrue(schedule.unknownKey(0), "one is under way");
        schedule.fetched(0, KeySchedule.NOT_SAID);

        int fetches = 0;
        for (long now = 1; now < 4 * MINUTE; now += SECOND / 10) {
            schedule.unknownKey(now);
            if (schedule.isDue(now)) {
                fetches++;
                schedule.started(now);
                assertTrue(schedule.unknownKey(now));
                schedule.fetched(now, KeySchedule.NOT_SAID);
            }
        }

        assertEquals(8, fetches);
    }

    @Test
    void unknownKey_inThePause_isFetchedForAtItsEnd() {
        KeySchedule schedule = schedule(0);
        schedule.started(0);
        schedule.fetched(0, KeySchedule.NOT_SAID);
        assertTrue(schedule.unknownKey(SECOND));
        schedule.started(SECOND);
        schedule.fetched(SECOND, KeySchedule.NOT_SAID);

        assertFalse(schedule.unknownKey(2 * SECOND));
        assertEquals(31 * SECOND, schedule.nextNanos());
        schedule.started(31 * SECOND);
        schedule.fetched(31 * SECOND, KeySchedule.NOT_SAID);
        assertFalse(schedule.unknownKey(32 * SECOND), "that one was for unknown keys too");
        assertEquals(61 * SECOND, schedule.nextNanos());
    }
}
