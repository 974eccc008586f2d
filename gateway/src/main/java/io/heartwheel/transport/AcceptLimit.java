package io.heartwheel.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limit of the connections accepted a second, of all listeners together, and count of those turned away at accept.
 *
 * <p>To turn somebody away costs little, but not nothing: beyond {@value #MOST_SHED_PER_SECOND} a second the listeners rest, and newcomers wait in the kernel's
 * backlog, where they cost the established no time at all.
 *
 * <p>Owner: the acceptor's loop, which all listeners share. {@link #reconfigure} and {@link #shed} are for any thread: a newcomer goes by the settings that it
 * finds, and the count is a sum.
 */
final class AcceptLimit {
    static final int MOST_SHED_PER_SECOND = 10_000;
    static final int SHED_BURST = 1_000;

    private final LongSupplier nanoClock;
    private final LongAdder shed = new LongAdder();
    private volatile @Nullable AcceptLimitSettings settings;

    // ---- the acceptor's loop
    private final Rate accepts;
    private final Rate sheds;
    private boolean tooMany;

    /**
     * Nobody has come yet.
     *
     * @param settings null: no limit
     * @param nanoClock monotonic nanoseconds
     */
    AcceptLimit(@Nullable AcceptLimitSettings settings, LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        accepts = new Rate(nanoClock.getAsLong());
        sheds = new Rate(nanoClock.getAsLong());
    }

    /** Goes by these from now on; null: no limit. What was accepted before counts on. */
    void reconfigure(@Nullable AcceptLimitSettings fresh) {
        settings = fresh;
    }

    /** Settings in force; null: no limit. */
    @Nullable
    AcceptLimitSettings settings() {
        return settings;
    }

    /** Takes a newcomer in, if these allow it. */
    boolean tryAccept(AcceptLimitSettings now) {
        return accepts.tryTake(now.perSecond(), now.burst(), nanoClock.getAsLong());
    }

    /** Counts a newcomer that is turned away; it takes no other's room. */
    void turnAway() {
        shed.increment();
        tooMany |= !sheds.tryTake(MOST_SHED_PER_SECOND, SHED_BURST, nanoClock.getAsLong());
    }

    /** Whether accepting should rest, because more were turned away than is good for the established; asked once, it is forgotten. */
    boolean takeTooMany() {
        boolean was = tooMany;
        tooMany = false;
        return was;
    }

    /** Connections closed at accept. */
    long shed() {
        return shed.sum();
    }

    /**
     * Rate of events: the generic cell rate algorithm (ITU-T I.371). One time is all its state, that of the next event if all came evenly spaced.
     *
     * <pre>
     *   taken, if next - now is at most (burst - 1) intervals:    next = max(next, now) + interval
     * </pre>
     *
     * No settings take it further ahead than a burst. What is further ahead is left from settings with a longer interval, and is cut to that: a rate that was
     * raised is in force at once.
     */
    private static final class Rate {
        private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

        private long nextNanos;

        Rate(long nowNanos) {
            nextNanos = nowNanos;
        }

        boolean tryTake(int perSecond, int burst, long nowNanos) {
            long intervalNanos = NANOS_PER_SECOND / perSecond;
            long aheadNanos = Math.max(0, Math.min(nextNanos - nowNanos, burst * intervalNanos));
            boolean taken = aheadNanos <= (burst - 1) * intervalNanos;
            nextNanos = nowNanos + aheadNanos + (taken ? intervalNanos : 0);
            return taken;
        }
    }
}
