package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.LivenessPolicy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The liveness trace: a {@link ActivityTrace} for each connection that chance has chosen, and none for the others.
 *
 * <pre>
 *   accept --chooses(id)?--&gt; Track --stretches--&gt; sink
 *                              ^
 *   closed(evidence)-----------+   finds it by the session's id
 * </pre>
 *
 * <p>Concurrency. Owner: the process. Callers: event loops. {@code open} is a concurrent map; each of its tracks is entered, used and removed by the
 * loop of its connection alone. {@code numbers} is atomic. The rest is immutable.
 */
public final class ActivityTraces implements SessionObserver {
    private final TraceSettings settings;
    private final long trace;
    private final int graceHundredths;
    private final EventSink sink;
    private final SessionObserver observer;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private final long beganNanos;
    /** Of 2^53 drawn numbers, how many choose. */
    private final long chosen;

    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentMap<Long, ActivityTrace> open = new ConcurrentHashMap<>();

    /**
     * The trace begins now.
     *
     * @param trace a number that other processes do not have
     * @param policy the deadlines of who has not shown theirs yet
     * @param sink takes the stretches
     * @param observer is told of each connection chosen
     */
    public ActivityTraces(
            TraceSettings settings,
            long trace,
            LivenessPolicy policy,
            EventSink sink,
            SessionObserver observer,
            LongSupplier nanoClock,
            LongSupplier wallMillis) {
        this.settings = settings;
        this.trace = trace;
        this.graceHundredths = policy.graceHundredths();
        this.sink = sink;
        this.observer = observer;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        this.beganNanos = nanoClock.getAsLong();
        this.chosen = (long) (settings.share() * 0x1p53);
    }

    /** Whether the connection with this id is traced: always the same answer, a few instructions. Any thread. */
    public boolean chooses(long sessionId) {
        // Stafford's variant 13 of the finalizer of MurmurHash3: consecutive ids come out as if drawn
        long mixed = sessionId + trace;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return (mixed ^ (mixed >>> 31)) >>> 11 < chosen;
    }

    /** Begins to trace a connection that was chosen. Its loop. */
    public ActivityTrace begin(long sessionId, long acceptedNanos, ActivityTrace.Subject subject) {
        ActivityTrace activityTrace = new ActivityTrace(this, subject, numbers.incrementAndGet(), acceptedNanos);
        open.put(sessionId, activityTrace);
        observer.traced();
        return activityTrace;
    }

    @Override
    public void closed(Evidence evidence) {
        long sessionId = evidence.identity().sessionId();
        ActivityTrace activityTrace = chooses(sessionId) ? open.remove(sessionId) : null;
        CloseReason reason = evidence.reason();
        if (activityTrace != null && reason != null) {
            activityTrace.end(evidence.protocol(), reason, nanoClock.getAsLong());
        }
    }

    /** The channel is closed: whatever became of its session, it is not traced any longer. Its loop. */
    public void forget(long sessionId) {
        open.remove(sessionId);
    }

    /** Connections traced now. Any thread. */
    public int size() {
        return open.size();
    }

    long sinceBeginMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos - beganNanos);
    }

    int graceHundredths() {
        return graceHundredths;
    }

    int stamps() {
        return settings.stamps();
    }

    void publish(
            ActivityTrace activityTrace,
            String protocol,
            int[] readsMillis,
            long endedMillis,
            @Nullable CloseReason ended) {
        sink.publish(
                activityTrace.traceSegment(wallMillis.getAsLong(), trace, protocol, readsMillis, endedMillis, ended));
    }
}
