package io.heartwheel.wheel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Timers on a wheel turned by hand, with a clock that is set and an executor that queues. All on one thread. */
final class TimersRig implements TimerObserver {

    static final long TICK = 10;

    final TimingWheel wheel;
    final List<Throwable> failures = new ArrayList<>();
    final List<Throwable> refusals = new ArrayList<>();
    final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    /** When tasks made by {@link #task} ran. */
    final List<Long> ran = new ArrayList<>();

    final Timers timers;
    long skipped;
    long now;
    boolean refuses;
    private final long start;

    TimersRig(long start, int maxEntries, int maxPending, boolean onWheelThread) {
        this.start = start;
        wheel = new TimingWheel(TICK, 8, maxEntries, start);
        Executor executor = onWheelThread ? Timers.ON_WHEEL_THREAD : this::enqueue;
        timers = new Timers(wheel, () -> start + now, executor, maxPending, this);
    }

    /** Time starts at 0, room for 100; tasks run on the wheel's thread. */
    static TimersRig direct() {
        return new TimersRig(0, 100, 100, true);
    }

    /** Time starts at 0, room for 100; tasks wait for {@link #drain}. */
    static TimersRig queued() {
        return new TimersRig(0, 100, 100, false);
    }

    private void enqueue(Runnable run) {
        if (refuses) {
            throw new RejectedExecutionException("as planned");
        }
        queue.add(run);
    }

    /** Remembers when it ran. */
    Runnable task() {
        return () -> ran.add(now);
    }

    void advance(long nanos) {
        now = nanos;
        wheel.advance(start + nanos, Integer.MAX_VALUE);
    }

    /** Turns the wheel at every tick up to a time. */
    void tickTo(long nanos) {
        while (now < nanos) {
            advance(Math.min(nanos, now - now % TICK + TICK));
        }
    }

    /** Runs what was handed over. */
    void drain() {
        for (Runnable run = queue.poll(); run != null; run = queue.poll()) {
            run.run();
        }
    }

    /** Checks that nothing is left behind when all timers have ended. */
    boolean isEmpty() {
        advance(now + TICK);
        return timers.pending() == 0 && timers.keys() == 0 && wheel.counters().registered() == 0;
    }

    @Override
    public void failed(Timer timer, Throwable failure) {
        failures.add(failure);
    }

    @Override
    public void refused(Timer timer, Throwable refusal) {
        refusals.add(refusal);
    }

    @Override
    public void skipped(Timer timer, long runs) {
        skipped += runs;
    }
}
