package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.session.SessionObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts run only while the loop turns. Each case on clocks that start anywhere. */
class StallsTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final String CLOCKS = "a clock at its least, before zero, at zero and before its greatest value";

    private final List<Long> found = new ArrayList<>();

    private Stalls stalls(long startNanos, Duration maxCredit) {
        return new Stalls(
                3, new StallSettings(true, Duration.ofMillis(100), maxCredit), startNanos, new SessionObserver() {
                    @Override
                    public void stalled(int loop, long nanos) {
                        assertEquals(3, loop);
                        found.add(nanos);
                    }
                });
    }

    /** The loop turns every 100 ms from one time to another. */
    private static void turn(Stalls stalls, long fromNanos, long toNanos) {
        for (long now = fromNanos; now - toNanos <= 0; now += Stalls.PERIOD_NANOS) {
            stalls.turned(now);
        }
    }

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE + 10, -5 * SECOND, 0, Long.MAX_VALUE - 7 * SECOND})
    void dueNanos_stallWithinTheTimeout_movesByAllOfIt(long t) {
        Stalls stalls = stalls(t, Duration.ofMinutes(1));
        turn(stalls, t, t + 2 * SECOND);
        turn(stalls, t + 7 * SECOND, t + 8 * SECOND);
        assertEquals(t + 16 * SECOND, stalls.dueNanos(t + SECOND, 10 * SECOND));
        assertEquals(List.of(5 * SECOND), found);
        assertEquals(5 * SECOND, stalls.totalNanos());
    }

    @Test
    void dueNanos_creditOff_isTheSumAndTheStallIsTold() {
        Stalls stalls = new Stalls(
                0, new StallSettings(false, Duration.ofMillis(100), Duration.ofMinutes(1)), 0, new SessionObserver() {
                    @Override
                    public void stalled(int loop, long nanos) {
                        found.add(nanos);
                    }
                });
        stalls.turned(5 * SECOND);
        assertEquals(10 * SECOND, stalls.dueNanos(0, 10 * SECOND));
        assertEquals(1, found.size());
    }

    @Test
    void turned_gapUpToPeriodAndThreshold_isNoStall() {
        Stalls stalls = stalls(0, Duration.ofMinutes(1));
        stalls.turned(200 * MS);
        assertEquals(0, stalls.count());
        stalls.turned(400 * MS + 1);
        assertEquals(1, stalls.count());
    }

    @Test
    void turned_clockReadEarlierThanLast_isIgnored() {
        Stalls stalls = stalls(0, Duration.ofMinutes(1));
        stalls.turned(100 * MS);
        stalls.turned(50 * MS);
        stalls.turned(300 * MS);
        assertEquals(0, stalls.count(), "measured from the latest turn");
    }

    @Test
    void dueNanos_moreStallsThanAreRemembered_creditsTheNewest() {
        Stalls stalls = stalls(0, Duration.ofHours(1));
        int all = Stalls.REMEMBERED + 10;
        for (int i = 1; i <= all; i++) {
            stalls.turned(i * SECOND);
        }
        assertEquals(all, stalls.count());
        assertEquals(2L * all * SECOND - 10 * SECOND, stalls.dueNanos(0, all * SECOND));
    }

    @Test
    void dueNanos_hundredsOfShortStallsWithinALongTimeout_creditsAll() {
        Stalls stalls = stalls(0, Duration.ofMinutes(1));
        for (int i = 0; i < 190; i++) {
            long fromNanos = 10L * i * SECOND;
            turn(stalls, fromNanos, fromNanos + SECOND);
            stalls.turned(fromNanos + SECOND + 300 * MS);
            turn(stalls, fromNanos + SECOND + 300 * MS, fromNanos + 10 * SECOND);
        }
        assertEquals(190, stalls.count());
        assertEquals((1_900 + 57) * SECOND, stalls.dueNanos(0, 1_900 * SECOND));
        assertEquals(1_000 * SECOND + 600 * MS, stalls.dueNanos(975 * SECOND, 25 * SECOND));
    }

    @Test
    void reconfigure_creditSwitchedOff_countsForStallsThatWereAsWell() {
        Stalls stalls = stalls(0, Duration.ofMinutes(1));
        turn(stalls, 0, 2 * SECOND);
        turn(stalls, 7 * SECOND, 8 * SECOND);
        stalls.reconfigure(new StallSettings(false, Duration.ofMillis(100), Duration.ofMinutes(1)));
        assertEquals(11 * SECOND, stalls.dueNanos(SECOND, 10 * SECOND));
        stalls.reconfigure(new StallSettings(true, Duration.ofMillis(100), Duration.ofSeconds(2)));
        assertEquals(13 * SECOND, stalls.dueNanos(SECOND, 10 * SECOND));
    }
}
