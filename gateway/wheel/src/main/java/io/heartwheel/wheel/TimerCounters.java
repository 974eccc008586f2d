package io.heartwheel.wheel;

import java.util.concurrent.atomic.LongAdder;

/** Counters of {@link Timers} since they were made; they only grow. Any thread reads and writes; each is exact once nothing runs. */
public final class TimerCounters {

    final LongAdder started = new LongAdder();
    final LongAdder runs = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder skipped = new LongAdder();

    TimerCounters() {}

    /** Timers started. */
    public long started() {
        return started.sum();
    }

    /** Runs handed to executors, with those they refused. */
    public long runs() {
        return runs.sum();
    }

    /** Timers cancelled or replaced before their last run. */
    public long cancelled() {
        return cancelled.sum();
    }

    /** Timers not taken: too many are pending, the wheel is full, or the timers are stopped. */
    public long rejected() {
        return rejected.sum();
    }

    /** Throwables out of tasks and observers. */
    public long failed() {
        return failed.sum();
    }

    /** Runs that an executor refused. */
    public long refused() {
        return refused.sum();
    }

    /** Runs at a fixed rate that were left out because it was too late for them. */
    public long skipped() {
        return skipped.sum();
    }
}
