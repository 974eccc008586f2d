package io.heartwheel.netty;

import io.heartwheel.wheel.TimingWheel;

/** Wheel of a timer and what turns it: a thread of its own, or a test. Any thread may call. */
interface Drive {

    /** What is turned. */
    TimingWheel wheel();

    /** The time on the clock that the wheel is turned by, nanoseconds. */
    long nowNanos();

    /** Turns from now on. Without it the first deadline armed does the same. Nothing when it turns already or has ended. */
    void start();

    /** Whether the caller was called by the turning. */
    boolean isHere();

    /** Whether the process may end while this turns. */
    boolean isDaemon();

    /**
     * Turns no more, and waits for the entry that expires now. Interrupts do not cut the wait short; the caller's interrupt is kept. Not to be
     * called from {@linkplain #isHere here}.
     */
    void end();
}
