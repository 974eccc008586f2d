package io.heartwheel.liveness;

import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.util.function.LongSupplier;

/**
 * An entry that the wheel meets again and again, which proves that the wheel turns: an idle wheel sleeps for as long as it likes, so nothing else tells a
 * sleeping one from a stuck one. It beats when the wheel asks for its deadline, and so never expires and costs one wake-up a period. Takes one handle of
 * the wheel.
 *
 * <p>It is also the witness of the process while its loops are idle: two beats that lie further apart than period, tick and threshold mean that threads
 * stood still, a stopped process or a guest without a processor. Such gaps are remembered, the newest {@value #REMEMBERED}, and told at once, so that the
 * loops take them into their {@link Stalls}. A gap counts from the beat before it, so it is by at most a period and a tick more than the stall was.
 *
 * <p>Owner: the wheel's thread, the only writer. Any thread may read: {@code lastBeatNanos} is volatile and written after the gap that it ends; gaps are
 * written before {@code count}, which is volatile. A reader reads {@code lastBeatNanos} first, and takes no gap that begins there or later: it sees each once.
 */
public final class WheelPulse implements Timed {
    static final int REMEMBERED = 256;

    private final TimingWheel wheel;
    private final int handle;
    private final LongSupplier nanoClock;
    private final long periodNanos;
    private final long tickNanos;
    private final Runnable stood;

    private final long[] beginNanos = new long[REMEMBERED];
    private final long[] endNanos = new long[REMEMBERED];
    private volatile int count;
    private volatile long thresholdNanos;
    private volatile long lastBeatNanos;

    /** Is told of times in which something stood still. */
    interface Ledger {
        /** From then until then, monotonic nanoseconds. */
        void stood(long fromNanos, long toNanos);
    }

    /**
     * Beats from {@link #begin} on.
     *
     * @param nanoClock the wheel's clock
     * @param periodNanos between two beats, more than 0
     * @param stood run on the wheel's thread after a gap; throws nothing and does not block
     * @throws io.heartwheel.wheel.WheelFullException if the wheel has no room
     */
    public WheelPulse(
            TimingWheel wheel, LongSupplier nanoClock, long periodNanos, StallSettings settings, Runnable stood) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("periodNanos = " + periodNanos + ": need more than 0");
        }
        this.nanoClock = nanoClock;
        this.periodNanos = periodNanos;
        this.stood = stood;
        this.wheel = wheel;
        tickNanos = wheel.tickNanos();
        reconfigure(settings);
        lastBeatNanos = nanoClock.getAsLong();
        handle = wheel.register(this);
    }

    /** The wheel is started now. Once, by who starts it. */
    public void begin() {
        lastBeatNanos = nanoClock.getAsLong();
        wheel.arm(handle, dueNanos());
    }

    /** Goes by this threshold from now on. Any thread. */
    public void reconfigure(StallSettings settings) {
        thresholdNanos = settings.threshold().toNanos();
    }

    /** Beats, and is due again at the next multiple of the period, where probes gather as well. Wheel's thread. */
    @Override
    public long deadlineNanos() {
        long nowNanos = nanoClock.getAsLong();
        long beforeNanos = lastBeatNanos;
        boolean late = isGap(beforeNanos, nowNanos);
        if (late) {
            int gaps = count;
            beginNanos[gaps % REMEMBERED] = beforeNanos;
            endNanos[gaps % REMEMBERED] = nowNanos;
            count = gaps + 1;
        }
        lastBeatNanos = nowNanos;
        if (late) {
            stood.run();
        }
        return dueNanos();
    }

    @Override
    public void expire(long nowNanos) {
        throw new AssertionError("it always is due later");
    }

    private boolean isGap(long fromNanos, long toNanos) {
        return toNanos - fromNanos > periodNanos + tickNanos + thresholdNanos;
    }

    /** Tells of all that stood between these times, in order, as far as is known. Any thread. */
    void standstills(long fromNanos, long toNanos, Ledger ledger) {
        long beatNanos = lastBeatNanos;
        int known = count;
        for (int i = Math.max(0, known - REMEMBERED); i < known; i++) {
            long beganNanos = beginNanos[i % REMEMBERED];
            if (beganNanos - beatNanos < 0) {
                tell(beganNanos, endNanos[i % REMEMBERED], fromNanos, toNanos, ledger);
            }
        }
        if (isGap(beatNanos, toNanos)) {
            // the wheel's thread has not come to it yet
            tell(beatNanos, toNanos, fromNanos, toNanos, ledger);
        }
    }

    private static void tell(long beganNanos, long endedNanos, long fromNanos, long toNanos, Ledger ledger) {
        long partFromNanos = beganNanos - fromNanos > 0 ? beganNanos : fromNanos;
        long partToNanos = endedNanos - toNanos < 0 ? endedNanos : toNanos;
        if (partToNanos - partFromNanos > 0) {
            ledger.stood(partFromNanos, partToNanos);
        }
    }

    /** When it last beat, monotonic nanoseconds; before the first beat, when it was made. */
    public long lastBeatNanos() {
        return lastBeatNanos;
    }

    /** When its next beat is due. */
    public long dueNanos() {
        long last = lastBeatNanos;
        return last + periodNanos - Math.floorMod(last, periodNanos);
    }
}
