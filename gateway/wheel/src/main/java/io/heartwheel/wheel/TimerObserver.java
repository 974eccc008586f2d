package io.heartwheel.wheel;

/**
 * Observer of faults in {@link Timers}. It must be quick and must not block. What it throws is counted as a failure and goes
 * no further. Any call may come on any thread, also on several at once.
 */
public interface TimerObserver {

    /** Watches nothing. */
    TimerObserver NONE = new TimerObserver() {};

    /**
     * A task threw. Its timer goes on if runs are to come; to end it, cancel it here. Called on the thread that ran the task.
     *
     * @param failure what it threw
     */
    default void failed(Timer timer, Throwable failure) {}

    /**
     * An executor did not take a run, which is lost. The timer goes on if runs are to come. Called on the thread that turns the wheel.
     *
     * @param refusal what the executor threw
     */
    default void refused(Timer timer, Throwable refusal) {}

    /**
     * Runs at a fixed rate were left out, because the one before ended or the wheel was turned too late. Called where the run before ended.
     *
     * @param runs how many, 1 or more
     */
    default void skipped(Timer timer, long runs) {}
}
