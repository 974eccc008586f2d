package io.heartwheel.outlet;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Outlet to a broker that answers for each event: of a chunk it remembers over attempts what the broker has said. One thread; {@link #oversized} any.
 */
public abstract class BrokerOutlet implements Outlet {
    private final LongAdder oversized = new LongAdder();
    /** Under way; read again after a rewind it is another one, and the broker may take more by then. */
    private List<OutletEvent> chunk = List.of();

    @Override
    public final void deliver(List<OutletEvent> events, int attempt) throws IOException, InterruptedException {
        if (chunk != events) {
            forget();
            chunk = events;
        }
        deliver(events);
        chunk = List.of();
    }

    /** Delivers what the broker has not; as {@link Outlet#deliver} otherwise. */
    protected abstract void deliver(List<OutletEvent> events) throws IOException, InterruptedException;

    /** Another chunk follows: nothing is known of it. */
    protected abstract void forget();

    /** So many went out as gaps. */
    protected final void countOversized(long events) {
        oversized.add(events);
    }

    @Override
    public final long oversized() {
        return oversized.sum();
    }
}
