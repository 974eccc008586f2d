package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.OutcomeCounts;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * HTTP requests at device listeners that ask for no WebSocket: health checks of balancers, and whatever else calls a port. Each is counted. A health check
 * leaves no other trace; of the others one in a minute is refused as a device would be, with evidence, event and log line, and the rest is only answered.
 *
 * <p>Any thread.
 */
public final class PlainRequests {
    /** What came of one. */
    public enum Outcome {
        /** A health check while new devices are accepted. */
        READY,
        /** A health check while they are not. */
        NOT_READY,
        /** Anything else. */
        OTHER
    }

    /** Answer of {@link #other} for one that is not to be told. */
    static final long UNTOLD = -1;

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final OutcomeCounts<Outcome> counts = new OutcomeCounts<>(Outcome.class);
    private final AtomicLong untold = new AtomicLong();
    private final AtomicLong nextNanos;
    private volatile BooleanSupplier ready = () -> false;

    /** @param nanoClock monotonic nanoseconds */
    public PlainRequests(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        nextNanos = new AtomicLong(nanoClock.getAsLong());
    }

    /** @param ready whether devices are accepted; never blocks; any thread */
    public void answerBy(BooleanSupplier ready) {
        this.ready = ready;
    }

    /** A health check: whether devices are accepted. Why not is for the operator alone, and anybody may ask here. */
    boolean health() {
        boolean now = ready.getAsBoolean();
        counts.add(now ? Outcome.READY : Outcome.NOT_READY);
        return now;
    }

    /** One that nobody answers: how many there were since the last that was told, if this one is to be told; else {@link #UNTOLD}. */
    long other() {
        counts.add(Outcome.OTHER);
        long nowNanos = nanoClock.getAsLong();
        long next = nextNanos.get();
        if (nowNanos - next >= 0 && nextNanos.compareAndSet(next, nowNanos + QUIET_NANOS)) {
            return untold.getAndSet(0);
        }
        untold.incrementAndGet();
        return UNTOLD;
    }

    /** What came of them. */
    public OutcomeCounts<Outcome> counts() {
        return counts;
    }
}
