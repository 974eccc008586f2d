package io.heartwheel.wheel;

import org.jspecify.annotations.Nullable;

/**
 * A timer that {@link Timers} has started: its state, and the way to cancel it. Any thread may call; each call is a few instructions,
 * {@link #cancel} two or three atomic operations.
 */
public interface Timer {

    /** State of a timer. */
    enum State {
        /** Runs are to come, or one is under way after which others may come. */
        PENDING,
        /** The last run was handed to its executor. */
        FIRED,
        /** Cancelled by {@link Timer#cancel} or {@link Timers#replace}. */
        CANCELLED,
        /** Cancelled by {@link Timers#stop}, or refused because of that. */
        STOPPED
    }

    /** State of the timer; all but {@link State#PENDING} are final. */
    State state();

    /**
     * Cancels the runs to come. A run under way goes on; one of a periodic timer that its executor has not begun does not take place.
     *
     * @return {@code true} exactly once, and only if this prevented runs that would have come; {@code false} when the timer has fired, was
     *     cancelled or was stopped
     */
    boolean cancel();

    /** Runs handed to the executor so far, with those that it refused. */
    long runs();

    /**
     * When the next run is due, on the clock of the {@link Timers}, nanoseconds; during a run and after the last one, when that was due. Never
     * {@link Deadline#NO_DEADLINE}.
     */
    long deadlineNanos();

    /** What the timer runs; held as long as the timer is. For who is left with it after {@link Timers#stop}. */
    Runnable task();

    /** What the timer was started under, or null. */
    @Nullable
    Object key();
}
