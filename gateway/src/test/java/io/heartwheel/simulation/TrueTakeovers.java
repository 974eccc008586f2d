package io.heartwheel.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Takeovers of one device id, as the oracle counts them: when a newcomer has to wait, and when it must not. */
final class TrueTakeovers {
    private static final int FREE = 4;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long MINUTE_NANOS = 60 * SECOND_NANOS;
    private static final long FIRST_WAIT_NANOS = 2 * SECOND_NANOS;
    private static final long LONGEST_WAIT_NANOS = 40 * SECOND_NANOS;

    private final Deque<Long> latest = new ArrayDeque<>();
    private long takenNanos;
    /** The latest wait, halved by each newcomer that came late; 0: it is no conflict. */
    private long waitNanos;
    /** Somebody has to wait for it; null: nobody has to. */
    private @Nullable Wire waitedFor;

    private long waitEndsNanos;

    /**
     * A newcomer takes the id from a holder.
     *
     * @return what is wrong with that; null if nothing is
     */
    @Nullable
    String takesOver(Wire holder, long nowNanos) {
        forget(holder, nowNanos);
        String wrong = null;
        if (waitedFor == null) {
            wrong = isOneTooMany(nowNanos) ? "takes over too soon after others, and has not waited" : null;
            waitNanos = waitNanos < 2 * FIRST_WAIT_NANOS ? 0 : waitNanos / 2;
        } else if (nowNanos < waitEndsNanos) {
            wrong = "takes over " + Oracle.seconds(waitEndsNanos - nowNanos) + " before its wait is over";
        }
        waitedFor = null;
        takenNanos = nowNanos;
        latest.addLast(nowNanos);
        return wrong;
    }

    /** A newcomer has to wait for so long. */
    @Nullable
    String hasToWait(Wire holder, long nowNanos, long nanos) {
        forget(holder, nowNanos);
        if (waitedFor != null) {
            return nowNanos + nanos == waitEndsNanos
                    ? null
                    : "its wait ends at another time than that of who came before";
        }
        String wrong = null;
        if (!isOneTooMany(nowNanos)) {
            wrong = "has to wait although the id was not taken over too often";
        } else if (nanos != (waitNanos == 0 ? FIRST_WAIT_NANOS : Math.min(2 * waitNanos, LONGEST_WAIT_NANOS))) {
            wrong = "has to wait for " + Oracle.seconds(nanos);
        }
        waitedFor = holder;
        waitNanos = nanos;
        waitEndsNanos = nowNanos + nanos;
        return wrong;
    }

    /** The holder was dead. */
    void forget() {
        waitedFor = null;
        waitNanos = 0;
        latest.clear();
    }

    private boolean isOneTooMany(long nowNanos) {
        return latest.size() >= FREE || (waitNanos > 0 && nowNanos - takenNanos < MINUTE_NANOS / FREE);
    }

    private void forget(Wire holder, long nowNanos) {
        if (nowNanos - (waitedFor == null ? takenNanos : waitEndsNanos) >= MINUTE_NANOS) {
            forget();
        }
        if (waitedFor != holder) {
            waitedFor = null;
        }
        while (!latest.isEmpty() && nowNanos - latest.getFirst() >= MINUTE_NANOS) {
            latest.removeFirst();
        }
    }
}
