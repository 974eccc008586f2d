package io.heartwheel.liveness;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stalls of one event loop, and the credit that its peers get for them: while we do not listen, their silence proves nothing, so their clocks stand
 * still with ours.
 *
 * <pre>
 *   turned   turned   turned                                   turned   turned
 *     |--------|--------|-------------- stall ------------------|--------|-----&gt; now
 *                       a                                       b
 *   a deadline that runs from before b and is due after a moves by (b - a), or by what of it lies behind its own beginning
 * </pre>
 *
 * The loop says {@link #turned} before each judgement of expiries and with each read and flush: a loop that serves its sockets for seconds works, and does
 * not stand still. While it has something to do, and 100 ms longer, a probe says so every {@link #PERIOD_NANOS} ({@link LoopLagProbe}). A gap of more than the
 * period and the threshold is a stall then; it is counted from the last time the loop was seen turning, so the credit is by at most one period more than
 * the stall was, and never less.
 *
 * <p>A loop that has nothing to do sleeps, and that is no stall. When it turns again it counts the times in which the process stood still meanwhile ({@link
 * WheelPulse}: longer than a second, a tick and the threshold, and by at most a second and a tick more than they were), and how long what woke it had waited
 * for it, if that was handed to it with its time. Sessions with short deadlines cannot do with that ({@link #exact}); while there are any the probe runs.
 *
 * <p>What a stall was, a full collection, a stopped process, a guest that was not scheduled or a handler that blocked, does
 * not matter. A suspended machine stops the monotonic clock itself and so needs no credit.
 *
 * <p>The newest {@value #REMEMBERED} stalls are remembered. Each took more than {@link #PERIOD_NANOS}, so together they come to more than the 60 s that are
 * credited at most by default; only under a larger {@code max-credit} can credit for an older one be lost.
 *
 * <p>Owner: the loop, the only caller but of {@link #totalNanos} and {@link #count}, which any thread may read.
 */
public final class Stalls implements TimeoutClock {
    /** The longest time between two calls of {@link #turned} on a loop that turns and is not idle, nanoseconds. */
    public static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    static final int REMEMBERED = 1_024;

    private final int loop;
    private final LivenessObserver observer;

    private final long[] beginNanos = new long[REMEMBERED];
    private final long[] endNanos = new long[REMEMBERED];
    private long lastTurnNanos;
    private boolean credit;
    private long thresholdNanos;
    private long maxCreditNanos;

    private @Nullable LoopLagProbe probe;
    /** Sessions that have a short deadline. */
    private int exact;
    /** While what was missed in idleness is looked at: up to when it has been. */
    private long coveredNanos;

    private volatile long totalNanos;
    /** Stalls found since start. The latest stands at {@code (count - 1) % REMEMBERED}. */
    private volatile long count;

    /**
     * A loop that turns now.
     *
     * @param loop its index, for the observer
     * @param observer told of each stall
     */
    public Stalls(int loop, StallSettings settings, long nowNanos, LivenessObserver observer) {
        this.loop = loop;
        reconfigure(settings);
        lastTurnNanos = nowNanos;
        this.observer = observer;
    }

    /** Goes by these settings from now on, for stalls that were before as well. Loop only. */
    public void reconfigure(StallSettings settings) {
        credit = settings.credit();
        thresholdNanos = settings.threshold().toNanos();
        maxCreditNanos = settings.maxCredit().toNanos();
    }

    /** From now on the loop is seen by this probe, and may be idle. Loop only. */
    void probedBy(LoopLagProbe by) {
        probe = by;
    }

    /** So many more connections have a deadline so short that only the probe will do, or fewer. Loop only. */
    void exact(int more) {
        exact += more;
        if (more > 0 && probe != null) {
            probe.needed();
        }
    }

    /** Whether there are any. Loop only. */
    boolean isExact() {
        return exact > 0;
    }

    /** The loop turns. Loop only; some nanoseconds. */
    public void turned(long nowNanos) {
        turned(nowNanos, nowNanos);
    }

    /**
     * The loop turns for something that waited for it.
     *
     * @param askedNanos since then
     */
    void turned(long nowNanos, long askedNanos) {
        LoopLagProbe seenBy = probe;
        long gapNanos = nowNanos - lastTurnNanos;
        if (gapNanos > PERIOD_NANOS + thresholdNanos) {
            missed(seenBy, nowNanos, askedNanos);
        }
        if (gapNanos > 0) {
            lastTurnNanos = nowNanos;
        }
        if (seenBy != null) {
            seenBy.turned(nowNanos);
        }
    }

    private void missed(@Nullable LoopLagProbe seenBy, long nowNanos, long askedNanos) {
        if (seenBy == null || seenBy.isRunning()) {
            enter(lastTurnNanos, nowNanos);
            return;
        }
        coveredNanos = lastTurnNanos;
        seenBy.witness().standstills(lastTurnNanos, nowNanos, this::enterRest);
        if (nowNanos - later(askedNanos, coveredNanos) > PERIOD_NANOS + thresholdNanos) {
            enterRest(askedNanos, nowNanos);
        }
    }

    private void enterRest(long fromNanos, long toNanos) {
        long restNanos = later(fromNanos, coveredNanos);
        if (toNanos - restNanos > 0) {
            enter(restNanos, toNanos);
            coveredNanos = toNanos;
        }
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    private void enter(long fromNanos, long toNanos) {
        long before = count;
        int at = (int) (before % REMEMBERED);
        beginNanos[at] = fromNanos;
        endNanos[at] = toNanos;
        count = before + 1;
        long lostNanos = totalNanos;
        totalNanos = lostNanos + (toNanos - fromNanos);
        observer.stalled(loop, toNanos - fromNanos);
    }

    /**
     * When a timeout that began then is over: the time after which it has run for so long while this loop turned, as far as is known now. Loop only.
     *
     * @param fromNanos when it began
     * @param timeoutNanos 0 or more
     */
    @Override
    public long dueNanos(long fromNanos, long timeoutNanos) {
        long dueNanos = fromNanos + timeoutNanos;
        long known = count;
        boolean quiet = known == 0 || endNanos[(int) ((known - 1) % REMEMBERED)] - fromNanos <= 0;
        return quiet || !credit ? dueNanos : dueNanos + creditNanos(fromNanos, dueNanos);
    }

    private long creditNanos(long fromNanos, long dueNanos) {
        long creditNanos = 0;
        for (long i = firstThatEndsAfter(fromNanos); i < count && creditNanos < maxCreditNanos; i++) {
            int at = (int) (i % REMEMBERED);
            long lostFromNanos = beginNanos[at] - fromNanos > 0 ? beginNanos[at] : fromNanos;
            if (lostFromNanos - (dueNanos + creditNanos) >= 0) {
                break;
            }
            creditNanos = Math.min(maxCreditNanos, creditNanos + (endNanos[at] - lostFromNanos));
        }
        return creditNanos;
    }

    /** Of those that are remembered; {@link #count} if none does. */
    private long firstThatEndsAfter(long nanos) {
        long low = Math.max(0, count - REMEMBERED);
        long high = count;
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (endNanos[(int) (middle % REMEMBERED)] - nanos > 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The loop's index. */
    int loop() {
        return loop;
    }

    /** Nanoseconds of all stalls since start. Any thread. */
    public long totalNanos() {
        return totalNanos;
    }

    /** Stalls since start. Any thread. */
    public long count() {
        return count;
    }
}
