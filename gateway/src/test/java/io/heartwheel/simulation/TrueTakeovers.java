package io.heartwheel.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Takeovers of one device id, as the oracle counts them: when a newcomer has to wait, and when it must not. */
final class TrueTakeovers {
    private static final int FREE = 4;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long MINUTE_NANOS = 60 * SECOND_NANOS;
    private static final long LONGEST_WAIT_NANOS = 40 * SECOND_NANOS;

    private final Deque<Long> latest = new ArrayDeque<>();
    private boolean conflict;
    private boolean waiting;
    /** The end of the wait, else the latest takeover. */
    private long sinceNanos;

    private long waitNanos;

    /**
     * A newcomer takes the id from a holder.
     *
     * @return what is wrong with that; null if nothing is
     */
    @Nullable
    String takesOver(long nowNanos) {
        forget(nowNanos);
        String wrong = null;
        if (waiting && nowNanos < sinceNanos) {
            wrong = "takes over " + Oracle.seconds(sinceNanos - nowNanos) + " before its wait is over";
        } else if (!waiting && isOneTooMany()) {
            wrong = "takes over too soon after others, and has not waited";
        }
        waiting = false;
        sinceNanos = nowNanos;
        latest.addLast(nowNanos);
        return wrong;
    }

    /** A newcomer has to wait for so long. */
    @Nullable
    String hasToWait(long nowNanos, long nanos) {
        forget(nowNanos);
        if (waiting) {
            return nowNanos + nanos == sinceNanos ? null : "its wait ends at another time than that of who came before";
        }
        boolean grows = conflict ? nanos >= Math.min(2 * waitNanos, LONGEST_WAIT_NANOS) : nanos == 2 * SECOND_NANOS;
        String wrong = null;
        if (!isOneTooMany()) {
            wrong = "has to wait although the id was not taken over too often";
        } else if (!grows || nanos > LONGEST_WAIT_NANOS) {
            wrong = "has to wait for " + Oracle.seconds(nanos);
        }
        conflict = true;
        waiting = true;
        waitNanos = nanos;
        sinceNanos = nowNanos + nanos;
        return wrong;
    }

    private boolean isOneTooMany() {
        return conflict || latest.size() >= FREE;
    }

    private void forget(long nowNanos) {
        if (nowNanos - sinceNanos >= MINUTE_NANOS) {
            conflict = false;
            waiting = false;
            latest.clear();
        }
        while (!latest.isEmpty() && nowNanos - latest.getFirst() >= MINUTE_NANOS) {
            latest.removeFirst();
        }
    }
}
