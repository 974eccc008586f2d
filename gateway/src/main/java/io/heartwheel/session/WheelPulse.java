package io.heartwheel.session;

import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.util.function.LongSupplier;

/**
 * An entry that expires again and again and so proves that the wheel turns: an idle wheel sleeps for as long as it likes, so nothing else tells a
 * sleeping one from a stuck one. Takes one handle of the wheel.
 *
 * <p>Owner: the wheel's thread. {@link #lastBeatNanos} is read by any thread, a plain volatile read.
 */
public final class WheelPulse implements Timed {
    private final TimingWheel wheel;
    private final long periodNanos;
    private final int handle;

    private volatile long lastBeatNanos;

    /**
     * Starts to beat.
     *
     * @param nanoClock the wheel's clock
     * @param periodNanos between two beats, more than 0
     * @throws io.heartwheel.wheel.WheelFullException if the wheel has no room
     */
    public WheelPulse(TimingWheel wheel, LongSupplier nanoClock, long periodNanos) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("periodNanos = " + periodNanos + ": need more than 0");
        }
        this.wheel = wheel;
        this.periodNanos = periodNanos;
        lastBeatNanos = nanoClock.getAsLong();
        handle = wheel.register(this);
        wheel.arm(handle, lastBeatNanos + periodNanos);
    }

    @Override
    public long deadlineNanos() {
        return lastBeatNanos + periodNanos;
    }

    @Override
    public void expire(long nowNanos) {
        lastBeatNanos = nowNanos;
        wheel.arm(handle, nowNanos + periodNanos);
    }

    /** When it last beat, monotonic nanoseconds; before the first beat, when it was made. */
    public long lastBeatNanos() {
        return lastBeatNanos;
    }
}
