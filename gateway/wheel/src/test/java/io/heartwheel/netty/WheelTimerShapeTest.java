package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Arguments of the constructors: accepted, refused, rounded. */
class WheelTimerShapeTest {

    private static final ThreadFactory THREADS = Executors.defaultThreadFactory();

    @Test
    void buckets_anyTicksPerWheel_areThePowerOfTwoAbove() {
        assertEquals(512, WheelShape.buckets(512));
        assertEquals(1_024, WheelShape.buckets(513));
        assertEquals(64, WheelShape.buckets(33));
        assertEquals(4, WheelShape.buckets(1));
        assertEquals(4, WheelShape.buckets(3));
        assertEquals(1 << 20, WheelShape.buckets((1 << 20) + 1));
        assertEquals(1 << 20, WheelShape.buckets(Integer.MAX_VALUE));
    }

    @Test
    void buckets_notPositive_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> WheelShape.buckets(0));
        assertThrows(IllegalArgumentException.class, () -> WheelShape.buckets(Integer.MIN_VALUE));
    }

    @Test
    void tickNanos_anyDuration_isKeptWithinTheWheelsRange() {
        assertEquals(100_000_000, WheelShape.tickNanos(100, TimeUnit.MILLISECONDS, 512));
        assertEquals(1_000_000, WheelShape.tickNanos(1, TimeUnit.NANOSECONDS, 512));
        assertEquals(1_000_000, WheelShape.tickNanos(999, TimeUnit.MICROSECONDS, 512));
        assertEquals(3_600_000_000_000L, WheelShape.tickNanos(1, TimeUnit.DAYS, 512));
    }

    @Test
    void tickNanos_notPositiveOrATurnTooLong_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> WheelShape.tickNanos(0, TimeUnit.SECONDS, 512));
        assertThrows(IllegalArgumentException.class, () -> WheelShape.tickNanos(-1, TimeUnit.SECONDS, 512));
        long most = Long.MAX_VALUE / 512;
        assertEquals(3_600_000_000_000L, WheelShape.tickNanos(most - 1, TimeUnit.NANOSECONDS, 512));
        assertThrows(IllegalArgumentException.class, () -> WheelShape.tickNanos(most, TimeUnit.NANOSECONDS, 512));
        assertThrows(IllegalArgumentException.class, () -> WheelShape.tickNanos(most, TimeUnit.NANOSECONDS, 257));
        assertThrows(IllegalArgumentException.class, () -> WheelShape.tickNanos(1 << 30, TimeUnit.DAYS, 1));
    }

    private static WheelTimer with(long tick, int ticks, Executor executor) {
        return new WheelTimer(THREADS, tick, TimeUnit.SECONDS, ticks, true, 0, executor);
    }

    @Test
    void timer_everyConstructor_makesOneThatStops() {
        TimeUnit unit = TimeUnit.MILLISECONDS;
        assertEquals("wheel timer, tick 100 ms, 0 pending", stopped(new WheelTimer()));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(10, unit)));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(10, unit, 100)));
        assertEquals("wheel timer, tick 100 ms, 0 pending", stopped(new WheelTimer(THREADS)));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(THREADS, 10, unit)));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(THREADS, 10, unit, 100)));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(THREADS, 10, unit, 100, false)));
        assertEquals("wheel timer, tick 10 ms, 0 pending", stopped(new WheelTimer(THREADS, 10, unit, 100, true, 7)));
        assertEquals("wheel timer, tick 1000 ms, 0 pending", stopped(with(1, 1, Runnable::run)));
    }

    @Test
    void isWatchedForLeaks_flagOrThreadThatKeepsTheProcess_isTrue() {
        assertTrue(watched(false, true));
        assertTrue(watched(true, true));
        assertTrue(watched(false, false));
        assertFalse(watched(true, false));
    }

    private static boolean watched(boolean daemon, boolean leakDetection) {
        ThreadFactory threads = run -> {
            Thread thread = new Thread(run);
            thread.setDaemon(daemon);
            return thread;
        };
        WheelTimer timer = new WheelTimer(threads, 100, TimeUnit.MILLISECONDS, 512, leakDetection);
        boolean watched = timer.isWatchedForLeaks();
        timer.stop();
        return watched;
    }

    private static String stopped(WheelTimer timer) {
        String words = timer.toString();
        timer.stop();
        return words;
    }
}
