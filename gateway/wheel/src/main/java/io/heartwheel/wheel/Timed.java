package io.heartwheel.wheel;

/**
 * Entry of a {@link TimingWheel}: something with a deadline. A connection's session is a {@link WheelEntry}, which holds what the wheel needs
 * itself, so that nothing is allocated for it and the wheel reads one object when it meets it.
 *
 * <p>Activity does not touch the wheel. It stores a time in the {@code Timed}, from which {@link #deadlineNanos()} is derived. When the wheel
 * meets the entry where it was filed, it asks; if the answer has moved later, the entry is filed again there. Only an <em>earlier</em> deadline
 * must be told to the wheel, by {@link TimingWheel#arm}.
 *
 * <p>Both methods are called on the thread that turns the wheel, while others change the entry: what they read must be volatile, opaque or
 * otherwise safe to read from there.
 */
public interface Timed {

    /**
     * When this entry is to expire, as far as is known now. The later of this and the deadline last armed counts.
     *
     * <p>{@link Deadline#NO_DEADLINE} is the latest of all: the entry is disarmed as if its owner had done so. {@link #expire} is not called, nobody is
     * told but the counter {@link WheelCounters#dropped}, a later {@link TimingWheel#disarm} answers {@code false}, and so it stays until the owner arms
     * again. Every other value is a point in time, 0 too: on a clock that shows negative times, 0 is a deadline that lies ahead and is waited for.
     *
     * <p>Called on the turning thread, at most once for each place the entry was filed at, unless its owner changes the deadline at that very
     * moment. Must be quick, must not block and must not call the wheel. Should it throw, the entry is disarmed and {@link WheelObserver#failed} is told.
     *
     * @return a time in nanoseconds on the wheel's clock, or {@link Deadline#NO_DEADLINE} to be disarmed
     */
    long deadlineNanos();

    /**
     * The deadline was reached. Called once for each arming, with the entry already disarmed and out of the wheel; it stays so until its owner
     * arms it again, which it may do from here.
     *
     * <p>Called on the turning thread; must not block: hand over to the owner's thread and look at the deadline again there. Between the wheel's
     * decision and this call the owner may have armed, disarmed or released the entry. A throwable is counted, told to {@link
     * WheelObserver#failed}, and otherwise without effect.
     *
     * @param nowNanos the time handed to {@link TimingWheel#advance}
     */
    void expire(long nowNanos);
}
