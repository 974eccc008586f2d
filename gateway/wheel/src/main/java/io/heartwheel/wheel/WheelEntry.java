package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An entry that holds its own deadline, so that who meets it reads one object and nothing else. A connection's session is its own
 * entry; whatever has another superclass is a {@link Timed} and gets an object of this kind when it is registered.
 *
 * <p>{@code wanted} is the deadline and the state in one:
 *
 * <pre>
 *           register            arm                 release             (wheel)
 *   FREE --------------&gt; NO_DEADLINE &lt;------&gt; deadline --------&gt; RELEASED --------&gt; FREE
 *                                     disarm, expiry
 * </pre>
 *
 * While the turning thread asks the entry, ASKED stands in the place of the deadline.
 *
 * <h2>Concurrency</h2>
 *
 * <p>{@code wanted}: sequentially consistent exchange by the owner; compare-and-set by the turning thread, which puts ASKED there before it asks the
 * entry, and then what follows from the answer: the deadline taken back (expiry) or moved later. No owner ever stores ASKED, so the answer is void
 * whatever the owner did meanwhile, be it that the same deadline was armed again (jcstress: {@code ArmEqualIsNeverLostStress}, {@code
 * DisarmAndArmEqualIsNeverLostStress}). From RELEASED to FREE by the turning thread, from FREE by who registers.
 *
 * <p>{@code handle}: written by who registers, before the entry is published in {@link Cells}.
 */
public abstract class WheelEntry implements Timed {

    /** Marks in {@code wanted}; all below {@link Deadline#FIRST}. */
    static final long NO_DEADLINE = Deadline.NO_DEADLINE;

    static final long RELEASED = NO_DEADLINE + 1;
    /** In no wheel. */
    static final long FREE = NO_DEADLINE + 2;
    /** Armed, and the turning thread asks the entry. */
    static final long ASKED = NO_DEADLINE + 3;

    private static final VarHandle WANTED = field(MethodHandles.lookup(), "wanted", long.class);

    private volatile long wanted = FREE;
    static final int NO_HANDLE = -1;

    private int handle = NO_HANDLE;

    /** An entry in no wheel. */
    protected WheelEntry() {}

    /**
     * Handle of a field of the class that asks: for what an entry shares with the turning thread.
     *
     * @param own the lookup of that class
     */
    protected static VarHandle field(MethodHandles.Lookup own, String name, Class<?> type) {
        try {
            return own.findVarHandle(own.lookupClass(), name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What {@link TimingWheel#register} gave for it the last time; {@link TimingWheel#NO_HANDLE} before. The owner, or who synchronized with it. */
    public final int handle() {
        return handle;
    }

    /** Whether it is in a wheel and was not released. The owner, or who synchronized with it. */
    protected final boolean isRegistered() {
        long now = wanted;
        return now != FREE && now != RELEASED;
    }

    /** What was registered: this, unless it stands for a {@link Timed} of another class. */
    Timed timed() {
        return this;
    }

    final long wanted() {
        return wanted;
    }

    /** Who registers: from FREE on it is in a wheel; false when it was in one already. */
    final boolean enter() {
        return WANTED.compareAndSet(this, FREE, NO_DEADLINE);
    }

    /** Who registers, between {@link #enter} and publishing it. */
    final void at(int newHandle) {
        handle = newHandle;
    }

    /** Turning thread, and who registers but finds no room. */
    final void leave() {
        WANTED.setRelease(this, FREE);
    }

    /** Owner: stores what is wanted and tells what was. */
    final long exchangeWanted(long newWanted) {
        return (long) WANTED.getAndSet(this, newWanted);
    }

    /** Turning thread: stores what is wanted unless the owner was quicker. */
    final boolean replaceWanted(long expected, long newWanted) {
        return WANTED.compareAndSet(this, expected, newWanted);
    }

    /** Whether this {@code wanted} is that of an entry with a deadline. */
    static boolean isArmed(long wanted) {
        return wanted >= ASKED;
    }

    /** Stands for a {@link Timed} that has a superclass of its own. */
    static final class For extends WheelEntry {
        private final Timed timed;

        For(Timed timed) {
            this.timed = timed;
        }

        @Override
        Timed timed() {
            return timed;
        }

        @Override
        public long deadlineNanos() {
            return timed.deadlineNanos();
        }

        @Override
        public void expire(long nowNanos) {
            timed.expire(nowNanos);
        }
    }
}
