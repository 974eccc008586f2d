package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Under a virtual clock. */
class CircuitBreakerTest {
    private static final BreakerSettings SETTINGS =
            new BreakerSettings(3, 0.5, 10, Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(8));
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private double random = 1;
    private long now = Long.MAX_VALUE - SECOND; // wraps around
    private CircuitBreaker breaker = new CircuitBreaker(SETTINGS, () -> random, now);

    private void fail() {
        breaker.failed(breaker.permit(now), now, -1);
    }

    private void succeed() {
        breaker.succeeded(breaker.permit(now), now);
    }

    private void open() {
        fail();
        fail();
        fail();
        assertEquals(BreakerState.OPEN, breaker.state());
    }

    @Test
    void failures_inARow_open() {
        fail();
        fail();
        succeed();
        fail();
        fail();
        assertEquals(BreakerState.CLOSED, breaker.state());
        fail();
        assertEquals(BreakerState.OPEN, breaker.state());
        assertEquals(CircuitBreaker.NO_PERMIT, breaker.permit(now));
        assertEquals(SECOND, breaker.waitNanos(now));
    }

    @Test
    void failures_halfOfTheWindow_open() {
        for (int i = 0; i < 4; i++) {
            succeed();
            fail();
        }
        assertEquals(BreakerState.CLOSED, breaker.state()); // 8 calls are too few
        succeed();
        fail();
        assertEquals(BreakerState.OPEN, breaker.state());
    }

    @Test
    void failures_beyondTheWindow_doNotCount() {
        for (int i = 0; i < 40; i++) {
            succeed();
            fail();
            now += SECOND * 3;
        }
        assertEquals(BreakerState.CLOSED, breaker.state());
    }

    @Test
    void halfOpen_isOneCallAtATime() {
        open();
        now += SECOND - 1;
        assertEquals(CircuitBreaker.NO_PERMIT, breaker.permit(now));
        now++;
        long probe = breaker.permit(now);
        assertNotEquals(CircuitBreaker.NO_PERMIT, probe);
        assertEquals(BreakerState.HALF_OPEN, breaker.state());
        assertEquals(CircuitBreaker.NO_PERMIT, breaker.permit(now));
        breaker.succeeded(probe, now);
        assertEquals(BreakerState.CLOSED, breaker.state());
        fail();
        fail();
        assertEquals(BreakerState.CLOSED, breaker.state());
    }

    @Test
    void backoff_doublesUpToItsEndAndStartsAnewAfterASuccess() {
        open();
        for (long seconds : new long[] {1, 2, 4, 8, 8}) {
            assertEquals(seconds * SECOND, breaker.waitNanos(now));
            now += seconds * SECOND;
            fail();
        }
        assertEquals(6, breaker.opened());
        now += 8 * SECOND;
        succeed();
        open();
        assertEquals(SECOND, breaker.waitNanos(now));
    }

    @Test
    void backoff_hasFullJitter() {
        random = 0.25;
        open();
        assertEquals(SECOND / 4, breaker.waitNanos(now));
    }

    @Test
    void retryAfter_opensAtOnceAndIsObeyedUpToAMinute() {
        breaker.failed(breaker.permit(now), now, 5 * SECOND);
        assertEquals(5 * SECOND, breaker.waitNanos(now));
        now += 5 * SECOND;
        breaker.failed(breaker.permit(now), now, 7_200 * SECOND);
        assertEquals(60 * SECOND, breaker.waitNanos(now));
    }

    /** A call from before the outage ends while it is open, half-open and closed again. */
    @Test
    void result_ofAnEarlierState_isIgnored() {
        long old = breaker.permit(now);
        open();
        breaker.succeeded(old, now);
        assertEquals(BreakerState.OPEN, breaker.state());
        now += SECOND;
        long probe = breaker.permit(now);
        breaker.succeeded(old, now);
        breaker.failed(old, now, SECOND);
        assertEquals(BreakerState.HALF_OPEN, breaker.state());
        breaker.succeeded(probe, now);
        breaker.failed(old, now, SECOND);
        assertEquals(BreakerState.CLOSED, breaker.state());
    }

    /** Whatever happens, an open breaker gives no permit before its time, and always one afterwards. */
    @ParameterizedTest
    @ValueSource(longs = {1, 20, 300})
    void steps_atRandom_keepTheRules(long seed) {
        Random steps = new Random(seed);
        breaker = new CircuitBreaker(SETTINGS, steps::nextDouble, now);
        for (int i = 0; i < 20_000; i++) {
            now += (long) (steps.nextDouble() * SECOND);
            BreakerState before = breaker.state();
            long wait = breaker.waitNanos(now);
            long permit = breaker.permit(now);
            assertEquals(before == BreakerState.OPEN && wait > 0, permit == CircuitBreaker.NO_PERMIT, "seed " + seed);
            assertTrue(wait <= 60 * SECOND);
            if (permit != CircuitBreaker.NO_PERMIT && steps.nextInt(3) > 0) {
                breaker.failed(permit, now, steps.nextInt(20) == 0 ? SECOND : -1);
            } else if (permit != CircuitBreaker.NO_PERMIT) {
                breaker.succeeded(permit, now);
            }
        }
    }
}
