package io.heartwheel.drain;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.session.SessionObserver;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Outcomes of devices during drains, counted since the process started. Any thread; a device is counted on its own loop. */
public final class DrainCounts implements SessionObserver {
    private final LongAdder arrived = new LongAdder();
    private final LongAdder told = new LongAdder();
    private final LongAdder left = new LongAdder();
    private final LongAdder closed = new LongAdder();
    private volatile @Nullable DrainTargets targets;

    /** Counts these from now on, or nobody. */
    void count(@Nullable DrainTargets those) {
        targets = those;
    }

    void told() {
        told.increment();
    }

    @Override
    public void established(String protocol) {
        DrainTargets now = targets;
        if (now != null && now.includesNewcomers()) {
            arrived.increment();
        }
    }

    @Override
    public void closed(Evidence close) {
        DrainTargets now = targets;
        if (now != null && close.established() && now.ends(close)) {
            (close.reason() == CloseReason.SHUTDOWN ? closed : left).increment();
        }
    }

    /** Devices whose HELLO came in when a drain of all had already begun. */
    public long arrivedTotal() {
        return arrived.sum();
    }

    /** Devices that got a GOAWAY of a drain. */
    public long toldTotal() {
        return told.sum();
    }

    /** Devices that ended of themselves during a drain, or for reasons that have nothing to do with it; in a drain of a share only those of it. */
    public long leftTotal() {
        return left.sum();
    }

    /** Devices that a drain closed: plain peers at their turn, the others when the time was over. */
    public long closedTotal() {
        return closed.sum();
    }
}
