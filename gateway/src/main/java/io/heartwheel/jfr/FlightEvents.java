package io.heartwheel.jfr;

import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.GcPauses;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.transport.Admission;
import io.heartwheel.wheel.WheelObserver;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;

/**
 * Source of our Flight Recorder events, which tell what is rare. Events that nobody records are not made: {@link EventType#isEnabled} is a look at one field.
 *
 * <pre>
 *   io.heartwheel.ExpiryBatch   a loop has judged what was due: how many, how late at worst
 *   io.heartwheel.WheelTurn     the wheel has met entries
 *   io.heartwheel.LoopStall     a loop stood still: for how long, was it a collection
 *   io.heartwheel.MassExpiry    the breaker tripped; it is over
 *   io.heartwheel.Drain         the orderly end goes on
 *   io.heartwheel.Admission     each second: connections open, accepted, refused
 * </pre>
 *
 * <p>Any thread; never blocks, never throws.
 */
public final class FlightEvents implements SessionObserver, WheelObserver, AutoCloseable {
    private static final EventType BATCH = EventType.getEventType(EventForms.ExpiryBatchEvent.class);
    private static final EventType TURN = EventType.getEventType(EventForms.WheelTurnEvent.class);
    private static final EventType STALL = EventType.getEventType(EventForms.LoopStallEvent.class);
    private static final EventType MASS = EventType.getEventType(EventForms.MassExpiryEvent.class);
    private static final EventType DRAIN = EventType.getEventType(EventForms.DrainEvent.class);

    /** Closes by deadlines since a loop last told what it had judged. */
    private static final class Closes {
        int count;
        long worstLatenessNanos;
    }

    /** A loop is one thread, and what it judges and closes is told on it. */
    private final ThreadLocal<Closes> closes = ThreadLocal.withInitial(Closes::new);

    private final LongSupplier gcMillis;
    /** Time in collections as of the last two looks, one a second; a stall is told soon after its end. */
    private volatile long gcBeforeMillis;

    private volatile long gcLookMillis;
    private Runnable admissionHook = () -> {};

    /** Told of facts from now on. */
    public FlightEvents() {
        this(GcPauses::totalMillis);
    }

    FlightEvents(LongSupplier gcMillis) {
        this.gcMillis = gcMillis;
        gcLookMillis = gcMillis.getAsLong();
        gcBeforeMillis = gcLookMillis;
    }

    /** Looks at the collections, so that a later stall can be explained. Once a second or so; some microseconds. */
    public void look() {
        gcBeforeMillis = gcLookMillis;
        gcLookMillis = gcMillis.getAsLong();
    }

    /** Records from now on once a second how many connections there are. Once, before {@link #close}. */
    public void watch(Admission admission) {
        Runnable hook = () -> {
            var event = new EventForms.AdmissionEvent();
            event.open = admission.open();
            event.limit = admission.limit();
            event.accepted = admission.accepted();
            event.refused = admission.refused();
            event.acceptPauses = admission.acceptPauses();
            event.commit();
        };
        FlightRecorder.addPeriodicEvent(EventForms.AdmissionEvent.class, hook);
        admissionHook = hook;
    }

    /**
     * The orderly end goes on.
     *
     * @param progress as it is told the operator
     */
    public void drain(String progress) {
        if (DRAIN.isEnabled()) {
            var event = new EventForms.DrainEvent();
            event.progress = progress;
            event.commit();
        }
    }

    @Override
    public void turned(int expired, int moved, long lagNanos) {
        if (TURN.isEnabled()) {
            var event = new EventForms.WheelTurnEvent();
            event.expired = expired;
            event.moved = moved;
            event.lag = lagNanos;
            event.commit();
        }
    }

    @Override
    public void closed(Evidence close) {
        if (close.endedByDeadline() && BATCH.isEnabled()) {
            long latenessNanos = TimeUnit.MICROSECONDS.toNanos(close.timing().latenessMicros());
            Closes ofThisLoop = closes.get();
            ofThisLoop.count++;
            ofThisLoop.worstLatenessNanos = Math.max(ofThisLoop.worstLatenessNanos, latenessNanos);
        }
    }

    @Override
    public void judged(int loop, int lookedAt, long tookNanos) {
        if (BATCH.isEnabled()) {
            Closes ofThisLoop = closes.get();
            var event = new EventForms.ExpiryBatchEvent();
            event.loop = loop;
            event.lookedAt = lookedAt;
            event.closed = ofThisLoop.count;
            event.worstLateness = ofThisLoop.worstLatenessNanos;
            event.took = tookNanos;
            event.commit();
            ofThisLoop.count = 0;
            ofThisLoop.worstLatenessNanos = 0;
        }
    }

    @Override
    public void stalled(int loop, long nanos) {
        if (STALL.isEnabled()) {
            var event = new EventForms.LoopStallEvent();
            event.loop = loop;
            event.lost = nanos;
            event.collected = TimeUnit.MILLISECONDS.toNanos(gcMillis.getAsLong() - gcBeforeMillis);
            event.cause = event.collected >= nanos / 2 ? "gc" : "other";
            event.commit();
        }
    }

    @Override
    public void incident(Incident incident) {
        if (MASS.isEnabled()) {
            var event = new EventForms.MassExpiryEvent();
            event.number = incident.number();
            event.state = incident.ended() ? "ended" : "begun";
            event.lasted = incident.lastedMillis();
            event.scopes = String.join(", ", incident.failureGroups());
            event.expired = incident.expired();
            event.connections = incident.connections();
            event.suspects = incident.suspects();
            event.absolved = incident.absolved();
            event.closed = incident.closed();
            event.left = incident.left();
            event.commit();
        }
    }

    /** Ends what it does by itself. */
    @Override
    public void close() {
        FlightRecorder.removePeriodicEvent(admissionHook);
    }
}
