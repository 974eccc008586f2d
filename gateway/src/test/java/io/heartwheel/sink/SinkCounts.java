package io.heartwheel.sink;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** Counts what a sink tells. Any thread. */
final class SinkCounts implements SinkObserver {
    final AtomicInteger accepted = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger lost = new AtomicInteger();
    volatile IntSupplier waiting = () -> 0;
    final AtomicInteger dropped = new AtomicInteger();
    final AtomicInteger failures = new AtomicInteger();
    volatile IntSupplier depth = () -> -1;
    volatile int capacity;

    @Override
    public void accepted(int messages) {
        accepted.addAndGet(messages);
    }

    @Override
    public void refused(int messages) {
        refused.addAndGet(messages);
    }

    @Override
    public void lost(int messages) {
        lost.addAndGet(messages);
    }

    @Override
    public void waiting(IntSupplier peers) {
        waiting = peers;
    }

    @Override
    public void dropped(int events) {
        dropped.addAndGet(events);
    }

    @Override
    public void writeFailed() {
        failures.incrementAndGet();
    }

    @Override
    public void queue(IntSupplier depthNow, int most) {
        depth = depthNow;
        capacity = most;
    }

    /** accepted, refused, dropped, failures. */
    @Override
    public String toString() {
        return accepted + " " + refused + " " + dropped + " " + failures;
    }
}
