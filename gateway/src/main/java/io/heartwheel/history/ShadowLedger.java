package io.heartwheel.history;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.session.SessionObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Record of what the shadow policy would have done, and whether it would have been right: counts per deadline, and the latest {@value #KEPT} living
 * peers it would have closed.
 *
 * <p>Event loops add, any thread looks; a false kill takes a lock for a moment, the rest is one or two additions. A report sees counts of
 * different instants, by at most what is on its way.
 */
public final class ShadowLedger implements SessionObserver {
    /** So many false kills are remembered. */
    public static final int KEPT = 20;

    private static final int KINDS = DeadlineKind.values().length;

    /**
     * A living peer that the shadow would have closed.
     *
     * @param deviceId empty if it had not said who it is
     * @param deadline that had passed
     * @param nanosAfter so long after it the peer spoke
     * @param atEpochMillis when it spoke, milliseconds since 1970
     */
    public record Spoke(String deviceId, DeadlineKind deadline, long nanosAfter, long atEpochMillis) {}

    /**
     * Counts of connections that one of its deadlines would have closed.
     *
     * @param wouldHaveClosed in all
     * @param spoke of those: alive
     * @param closed of those, by the policy in force later: dead
     * @param left of those, otherwise: nothing follows from it
     * @param soonerNanos by how much sooner it would have closed the dead, all together
     */
    public record Count(long wouldHaveClosed, long spoke, long closed, long left, long soonerNanos) {
        /** Not settled yet. */
        public long waiting() {
            return Math.max(0, wouldHaveClosed - spoke - closed - left);
        }

        Count plus(Count other) {
            return new Count(
                    wouldHaveClosed + other.wouldHaveClosed,
                    spoke + other.spoke,
                    closed + other.closed,
                    left + other.left,
                    soonerNanos + other.soonerNanos);
        }

        /** By how much sooner it would have found each of the dead on average, milliseconds; 0 if there were none. */
        public long meanSoonerMillis() {
            return closed == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(soonerNanos / closed);
        }
    }

    private final LongSupplier wallMillis;
    private final AtomicLongArray marked = new AtomicLongArray(KINDS);
    private final AtomicLongArray settled = new AtomicLongArray(KINDS * ShadowOutcome.values().length);
    private final AtomicLongArray soonerNanos = new AtomicLongArray(KINDS);
    private final AtomicLong longestNanos = new AtomicLong();
    /** Newest first, guarded by itself. */
    private final Deque<Spoke> latest = new ArrayDeque<>(KEPT);

    /** @param wallMillis milliseconds since 1970 */
    public ShadowLedger(LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
    }

    @Override
    public void shadowed(DeadlineKind kind) {
        marked.incrementAndGet(kind.ordinal());
    }

    @Override
    public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {
        settled.incrementAndGet(cell(kind, outcome));
        switch (outcome) {
            case SPOKE -> remember(new Spoke(deviceId, kind, nanosAfter, wallMillis.getAsLong()));
            case CLOSED -> soonerNanos.addAndGet(kind.ordinal(), nanosAfter);
            case LEFT -> {}
        }
    }

    private void remember(Spoke spoke) {
        longestNanos.accumulateAndGet(spoke.nanosAfter, Math::max);
        synchronized (latest) {
            if (latest.size() == KEPT) {
                latest.removeLast();
            }
            latest.addFirst(spoke);
        }
    }

    private static int cell(DeadlineKind kind, ShadowOutcome outcome) {
        return outcome.ordinal() * KINDS + kind.ordinal();
    }

    /** What became of those whom this deadline would have closed. Settled ones are read first, so that none seems to wait that does not. */
    public Count of(DeadlineKind kind) {
        long spoke = settled.get(cell(kind, ShadowOutcome.SPOKE));
        long closed = settled.get(cell(kind, ShadowOutcome.CLOSED));
        long left = settled.get(cell(kind, ShadowOutcome.LEFT));
        return new Count(marked.get(kind.ordinal()), spoke, closed, left, soonerNanos.get(kind.ordinal()));
    }

    /** The same for all deadlines together. */
    public Count all() {
        Count sum = new Count(0, 0, 0, 0, 0);
        for (DeadlineKind kind : DeadlineKind.values()) {
            sum = sum.plus(of(kind));
        }
        return sum;
    }

    /** How long after the shadow's deadline one spoke at most, nanoseconds: a deadline later by that would have spared them all. */
    public long longestNanosAfter() {
        return longestNanos.get();
    }

    /** The latest living peers it would have closed, newest first. */
    public List<Spoke> latest() {
        synchronized (latest) {
            return List.copyOf(latest);
        }
    }
}
