package io.heartwheel.netty;

import io.heartwheel.wheel.TimingWheel;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A timer turned by hand, on a clock that is set: milliseconds from 0. All on one thread. */
final class WheelTimerRig implements Drive, AutoCloseable {

    static final long NO_LIMIT = 0;

    final WheelTimer timer;
    /** When tasks made by {@link #task} ran. */
    final List<Long> ran = new ArrayList<>();
    /** Timeouts whose tasks, made by {@link #task}, were told that they are cancelled. */
    final List<Timeout> cancelled = new ArrayList<>();

    boolean started;
    boolean ended;
    private final TimingWheel wheel;
    private final long startNanos;
    private final long tickMillis;
    private long nowMillis;
    private boolean turning;

    WheelTimerRig(long startNanos, long tickMillis, int buckets, long maxPendingTimeouts, Executor executor) {
        this.startNanos = startNanos;
        this.tickMillis = tickMillis;
        wheel = new TimingWheel(
                TimeUnit.MILLISECONDS.toNanos(tickMillis), buckets, TimingWheel.MAX_ENTRIES, startNanos);
        timer = new WheelTimer(this, true, maxPendingTimeouts, executor);
    }

    /** A tick of 100 ms, 512 buckets, no limit: what a timer is made with when nothing is said. */
    static WheelTimerRig ordinary() {
        return new WheelTimerRig(0, 100, 512, NO_LIMIT, ImmediateExecutor.INSTANCE);
    }

    /** With a limit of pending timeouts. */
    static WheelTimerRig limited(long maxPendingTimeouts) {
        return new WheelTimerRig(0, 100, 32, maxPendingTimeouts, ImmediateExecutor.INSTANCE);
    }

    /** Remembers when it ran and what was cancelled. */
    TimerTask task() {
        return new TimerTask() {
            @Override
            public void run(Timeout timeout) {
                ran.add(nowMillis);
            }

            @Override
            public void cancelled(Timeout timeout) {
                cancelled.add(timeout);
            }
        };
    }

    /** A task of {@link #task} after so many milliseconds. */
    Timeout after(long millis) {
        return timer.newTimeout(task(), millis, TimeUnit.MILLISECONDS);
    }

    Timeout after(long millis, TimerTask task) {
        return timer.newTimeout(task, millis, TimeUnit.MILLISECONDS);
    }

    long nowMillis() {
        return nowMillis;
    }

    /** As the thread does it: once more as long as an advance was cut short. */
    void advance(long millis) {
        nowMillis = millis;
        turning = true;
        try {
            do {
                wheel.advance(nowNanos(), Integer.MAX_VALUE);
            } while (wheel.nextWakeNanos(nowNanos()) - nowNanos() <= 0);
        } finally {
            turning = false;
        }
    }

    /** Turns the wheel at every tick up to a time. */
    void tickTo(long millis) {
        while (nowMillis < millis) {
            advance(Math.min(millis, nowMillis - nowMillis % tickMillis + tickMillis));
        }
    }

    /** When the wheel means to be turned next, milliseconds. */
    long nextWakeMillis() {
        return TimeUnit.NANOSECONDS.toMillis(wheel.nextWakeNanos(nowNanos()) - startNanos);
    }

    /** Whether nothing is left behind when all timeouts have ended. */
    boolean isEmpty() {
        advance(nowMillis + tickMillis);
        return timer.pendingTimeouts() == 0 && wheel.counters().registered() == 0;
    }

    // --- what turns the timer ---

    @Override
    public TimingWheel wheel() {
        return wheel;
    }

    @Override
    public long nowNanos() {
        return startNanos + TimeUnit.MILLISECONDS.toNanos(nowMillis);
    }

    @Override
    public void start() {
        started = true;
    }

    @Override
    public boolean isHere() {
        return turning;
    }

    @Override
    public boolean isDaemon() {
        return true;
    }

    @Override
    public void end() {
        ended = true;
    }

    /** Stops the timer, lest it be taken for a leak. */
    @Override
    public void close() {
        timer.stop();
    }
}
