package io.heartwheel.app;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.session.SessionObserver;
import java.util.concurrent.atomic.LongAdder;

/**
 * Count of the connections that deadlines closed in the last minute. The event loops add to it; its one reader asks at a steady pace and moves it on, slot by slot.
 *
 * <p>{@link #closed} by any thread, one addition; {@link #next} by one thread at a time.
 */
final class ClosesLastMinute implements SessionObserver {
    private final LongAdder closes = new LongAdder();
    private final long[] before;
    private int slot;

    /** @param asksInAMinute how often {@link #next} will be called in one, 1 or more */
    ClosesLastMinute(int asksInAMinute) {
        before = new long[asksInAMinute];
    }

    @Override
    public void closed(Evidence close) {
        CloseReason reason = close.reason();
        if (reason != null && reason.isDeadline()) {
            closes.increment();
        }
    }

    /** Those of the minute up to now, or of the time since the first call if that is less. */
    long next() {
        long now = closes.sum();
        long inTheMinute = now - before[slot];
        before[slot] = now;
        slot = (slot + 1) % before.length;
        return inTheMinute;
    }
}
