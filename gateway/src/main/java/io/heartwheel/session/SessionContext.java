package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessContext;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.Suspects;
import io.heartwheel.wheel.TimingWheel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Surroundings of all sessions of one event loop that came through one listener: each of them holds one reference instead of a dozen.
 *
 * @param wheel the process's wheel
 * @param policy the deadlines
 * @param shadowPolicy deadlines that are tried without effect
 * @param directory who holds which device id
 * @param auth who may come in
 * @param quotas how many there may be of a group, or of one value of an attribute
 * @param sink where facts go
 * @param observer who counts closes and probes
 * @param stats this loop's own counters
 * @param expiryQueue this loop's expiries
 * @param stalls when this loop stood still
 * @param breaker what guards against mass kills
 * @param outbox this loop's messages to devices
 * @param place which loop and listener
 * @param nanoClock monotonic nanoseconds
 * @param wallMillis milliseconds since 1970, for events only
 */
public record SessionContext(
        TimingWheel wheel,
        LivenessPolicy policy,
        ShadowPolicy shadowPolicy,
        Directory<Session> directory,
        AuthPolicy auth,
        ConnectionQuotas quotas,
        EventSink sink,
        SessionObserver observer,
        LoopStats stats,
        ExpiryQueue expiryQueue,
        Stalls stalls,
        Breaker breaker,
        Outbox<Session> outbox,
        Location place,
        LongSupplier nanoClock,
        LongSupplier wallMillis)
        implements LivenessContext {

    @Override
    public Suspects suspects() {
        return breaker;
    }

    /** Monotonic time now, nanoseconds. */
    public long nanoTime() {
        return nanoClock.getAsLong();
    }

    /**
     * The end of a connection, as everybody is told of it: the one way out of each fact about a close.
     *
     * @param close all that is known of it, with its reason
     * @param sequence of the event in its session, if it was established
     */
    void ended(Evidence close, long sequence) {
        observer.closed(close);
        if (!close.established()) {
            return;
        }
        boolean takenOver = close.reason() == CloseReason.TAKEN_OVER;
        sink.publish(
                takenOver
                        ? new ConnectionEvent.TakenOver(close, sequence)
                        : new ConnectionEvent.Disconnected(close, sequence));
    }

    /**
     * A connection was turned away as it came, before there was a session. Loop only.
     *
     * @param sessionId unique in the process
     * @param remote address and port of the peer
     * @param text for people: why
     */
    public void turnedAway(long sessionId, String remote, CloseReason reason, String text) {
        ended(
                new Evidence(
                        new ConnectionEvent.Identity("", sessionId, 0),
                        "",
                        "handshake",
                        remote,
                        "",
                        "",
                        false,
                        wallMillis.getAsLong(),
                        0,
                        reason,
                        text,
                        null,
                        null,
                        null,
                        new Evidence.Traffic(Evidence.NEVER, Evidence.NEVER, "", Evidence.NEVER, "", 0, 0, List.of()),
                        Evidence.Probes.NONE,
                        null,
                        new Evidence.Timing(
                                0,
                                0,
                                0,
                                TimeUnit.NANOSECONDS.toMillis(stats.lag().lastNanos()),
                                0,
                                wheel.tickOf(nanoTime()),
                                false),
                        0,
                        ""),
                0);
    }

    /**
     * The same loop's for sessions of another listener, under other terms.
     *
     * @param newPolicy the deadlines of those
     * @param newAuth who may come in
     */
    public SessionContext through(int listener, String listenerName, LivenessPolicy newPolicy, AuthPolicy newAuth) {
        return new SessionContext(
                wheel,
                newPolicy,
                shadowPolicy,
                directory,
                newAuth,
                quotas,
                sink,
                observer,
                stats,
                expiryQueue,
                stalls,
                breaker,
                outbox,
                new Location(place.loop(), listener, listenerName),
                nanoClock,
                wallMillis);
    }
}
