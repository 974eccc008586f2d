package io.heartwheel.netty;

import io.heartwheel.wheel.TimingWheel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.TimeUnit;

/** Tick and buckets of a wheel for the arguments of Netty's timer. Pure, except for a warning in the log. */
final class WheelShape {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(WheelTimer.class);

    private static final long MIN_TICK_NANOS = 1_000_000;
    private static final long MAX_TICK_NANOS = 3_600_000_000_000L;
    private static final int MIN_BUCKETS = 4;
    private static final int MAX_TICKS_PER_WHEEL = 1 << 30;

    private WheelShape() {}

    /**
     * Buckets a turn: the next power of two, within what a wheel may have.
     *
     * @throws IllegalArgumentException when it is not positive
     */
    static int buckets(int ticksPerWheel) {
        return Math.min(Math.max(powerOfTwo(ticksPerWheel), MIN_BUCKETS), TimingWheel.MAX_BUCKETS);
    }

    /**
     * Nanoseconds a tick, 1 ms to one hour.
     *
     * @throws IllegalArgumentException when it is not positive or a turn of as many ticks as asked for is too long
     */
    static long tickNanos(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        if (tickDuration <= 0) {
            throw new IllegalArgumentException("timer.tickDuration = " + tickDuration + ": need 1 or more");
        }
        long nanos = unit.toNanos(tickDuration);
        long end = Long.MAX_VALUE / powerOfTwo(ticksPerWheel);
        if (nanos >= end) {
            throw new IllegalArgumentException(
                    "timer.tickDuration = " + tickDuration + " " + unit + ": need less than " + end + " nanoseconds");
        }
        if (nanos < MIN_TICK_NANOS) {
            LOGGER.warn("timer.tickDuration = {} ns: taken as 1 ms", nanos);
        }
        return Math.min(Math.max(nanos, MIN_TICK_NANOS), MAX_TICK_NANOS);
    }

    private static int powerOfTwo(int ticksPerWheel) {
        if (ticksPerWheel <= 0) {
            throw new IllegalArgumentException("timer.ticksPerWheel = " + ticksPerWheel + ": need 1 or more");
        }
        if (ticksPerWheel >= MAX_TICKS_PER_WHEEL) {
            return MAX_TICKS_PER_WHEEL;
        }
        return 1 << (Integer.SIZE - Integer.numberOfLeadingZeros(ticksPerWheel - 1));
    }
}
