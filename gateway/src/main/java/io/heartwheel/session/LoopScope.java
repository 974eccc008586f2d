package io.heartwheel.session;

import io.heartwheel.event.EventSink;
import io.heartwheel.wheel.TimingWheel;
import java.util.function.LongSupplier;

/**
 * What all sessions of one event loop share, so that each of them holds one reference instead of eight.
 *
 * @param wheel the process's wheel
 * @param policy the deadlines
 * @param directory who holds which device id
 * @param credentials who may come in
 * @param sink where facts go
 * @param observer who counts closes and probes
 * @param stats this loop's own counters
 * @param inbox this loop's expiries
 * @param nanoClock monotonic nanoseconds
 * @param wallMillis milliseconds since 1970, for events only
 */
public record LoopScope(
        TimingWheel wheel,
        LivenessPolicy policy,
        Directory directory,
        Credentials credentials,
        EventSink sink,
        SessionObserver observer,
        LoopStats stats,
        ExpiryInbox inbox,
        LongSupplier nanoClock,
        LongSupplier wallMillis) {

    /** Monotonic time now, nanoseconds. */
    public long nanoTime() {
        return nanoClock.getAsLong();
    }
}
