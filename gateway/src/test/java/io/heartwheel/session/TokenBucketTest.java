package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.RateLimits;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of what a connection may send, on clocks that start anywhere and cross zero and the greatest value. */
class TokenBucketTest {
    private static final long SECOND = 1_000_000_000;
    private static final String CLOCKS = "a clock at its least, before zero, at zero and before its greatest value";

    /** 100 frames or 100,000 bytes a second, 200 frames at once. */
    private static final RateLimits LIMITS =
            new RateLimits(true, 100, 100_000, Duration.ofSeconds(2), Duration.ofSeconds(10));

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE, -3 * SECOND, 0, Long.MAX_VALUE - 3 * SECOND})
    void take_asFastAsAllowed_neverOwes(long t) {
        TokenBucket bucket = new TokenBucket(t);
        for (int i = 0; i < 1_000; i++) {
            bucket.take(1, 1_000, LIMITS, t + i * SECOND / 100);
            assertTrue(bucket.owedNanos(LIMITS, t + i * SECOND / 100) <= 0);
            assertFalse(bucket.isEmptyForLong(LIMITS, t + i * SECOND / 100));
        }
        assertTrue(bucket.isFull(t + 10 * SECOND));
    }

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE, -3 * SECOND, 0, Long.MAX_VALUE - 3 * SECOND})
    void take_burst_fitsToTheFrame(long t) {
        TokenBucket bucket = new TokenBucket(t);
        assertEquals(128, bucket.frames(LIMITS, 128, t));
        bucket.take(128, 0, LIMITS, t);
        assertEquals(72, bucket.frames(LIMITS, 128, t));
        bucket.take(72, 0, LIMITS, t);
        assertEquals(0, bucket.owedNanos(LIMITS, t));
        bucket.take(1, 0, LIMITS, t);
        assertEquals(SECOND / 100, bucket.owedNanos(LIMITS, t));
        assertEquals(SECOND / 100 + LIMITS.stepNanos(), bucket.restNanos(LIMITS, t));
        assertEquals(1, bucket.frames(LIMITS, 128, t), "never none, or it would wait for ever");
        assertEquals(0, bucket.owedNanos(LIMITS, t + SECOND / 100));
        assertFalse(bucket.isFull(t + 2 * SECOND));
        assertTrue(bucket.isFull(t + 2 * SECOND + SECOND / 100));
    }

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE, -3 * SECOND, 0, Long.MAX_VALUE - 3 * SECOND})
    void take_bytesOrFrames_whatCostsMoreCounts(long t) {
        TokenBucket bucket = new TokenBucket(t);
        bucket.take(1, 50_000, LIMITS, t);
        assertFalse(bucket.isFull(t + SECOND / 2 - 1));
        assertTrue(bucket.isFull(t + SECOND / 2));
        bucket.take(50, 1, LIMITS, t + SECOND);
        assertFalse(bucket.isFull(t + 3 * SECOND / 2 - 1));
        assertTrue(bucket.isFull(t + 3 * SECOND / 2));
    }

    @Test
    void take_greedyAtRandom_getsTheRateAndOneBurst() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        long start = Long.MAX_VALUE - 50 * SECOND;
        long now = start;
        TokenBucket bucket = new TokenBucket(now);
        long taken = 0;
        while (now - start < 100 * SECOND) {
            int frames = random.nextInt(1, bucket.frames(LIMITS, 128, now) + 1);
            bucket.take(frames, 0, LIMITS, now);
            taken += frames;
            now += bucket.owedNanos(LIMITS, now) >= 0 ? Math.max(0, bucket.restNanos(LIMITS, now)) : 0;
            now += random.nextInt(1_000);
        }
        assertTrue(taken >= 100 * 100 && taken <= 103 * 100 + 200, "taken " + taken);
    }

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE, -3 * SECOND, 0, Long.MAX_VALUE - 3 * SECOND})
    void isEmptyForLong_greedy_afterItsTime(long t) {
        TokenBucket bucket = new TokenBucket(t);
        bucket.take(201, 0, LIMITS, t);
        for (int i = 1; i <= 10; i++) {
            assertFalse(bucket.isEmptyForLong(LIMITS, t + i * SECOND - 1), "second " + i);
            bucket.take(100, 0, LIMITS, t + i * SECOND);
        }
        assertTrue(bucket.isEmptyForLong(LIMITS, t + 10 * SECOND));
    }

    @ParameterizedTest(name = CLOCKS)
    @ValueSource(longs = {Long.MIN_VALUE, -3 * SECOND, 0, Long.MAX_VALUE - 3 * SECOND})
    void isEmptyForLong_restedUntilHalfFull_countsAnew(long t) {
        TokenBucket bucket = new TokenBucket(t);
        bucket.take(201, 0, LIMITS, t);
        bucket.take(1, 0, LIMITS, t + 2 * SECOND);
        bucket.take(300, 0, LIMITS, t + 9 * SECOND);
        assertFalse(bucket.isEmptyForLong(LIMITS, t + 18 * SECOND));
        assertTrue(bucket.isEmptyForLong(LIMITS, t + 19 * SECOND));
    }

    @Test
    void isQuick_honestDevice_isNot() {
        assertFalse(RateLimits.DEFAULTS.isQuick(1, 5, SECOND));
        assertFalse(RateLimits.DEFAULTS.isQuick(8, 4_096, 8_000_000));
        assertTrue(RateLimits.DEFAULTS.isQuick(1, 5, 7_999_999));
        assertTrue(RateLimits.DEFAULTS.isQuick(9, 36, SECOND));
    }
}
