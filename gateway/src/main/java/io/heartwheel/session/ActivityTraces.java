package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.TraceSegment;
import io.heartwheel.liveness.LivenessPolicy;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Liveness trace of a process: an {@link ActivityTrace} for each connection that chance has chosen, and none for the others.
 *
 * <pre>
 *   accept --chooses(id)?--&gt; ActivityTrace --segments--&gt; sink
 *                                    ^
 *   closed(evidence)-----------------+   finds it by the session's id
 * </pre>
 *
 * <p>Concurrency. Owner: the process. Callers: event loops. {@code open} is a concurrent map; each of its traces is entered, used and removed by the
 * loop of its connection alone. {@code numbers} is atomic. The rest is immutable.
 */
public final class ActivityTraces implements SessionObserver {
    private static final int FIRST_STAMPS = 16;

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

    /**
     * Begins to trace a connection that was chosen. Its loop.
     *
     * @param subject its session, which may give way to another while the protocol is found out; null once there is none. Asked on the loop only
     */
    public ActivityTrace begin(long sessionId, long acceptedNanos, Supplier<? extends @Nullable Session> subject) {
        ActivityTrace activityTrace = new ActivityTrace(subject, acceptedNanos);
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
            activityTrace.end(evidence.protocol(), reason);
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

    private long sinceBeginMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos - beganNanos);
    }

    /**
     * Arrival times of the complete frames of one traced connection, to the millisecond. Frames that came in with one read have one time, that which the
     * heartbeat deadline counts from.
     *
     * <p>Owner: the loop of the connection; all is for it alone.
     */
    public final class ActivityTrace {
        private final Supplier<? extends @Nullable Session> subject;
        private final long number = numbers.incrementAndGet();
        private final long connectedMillis;

        private long seenNanos;
        private long seenMillis;
        private long fromMillis;
        private int[] readsMillis = new int[FIRST_STAMPS];
        private int reads;
        private String protocol = "handshake";
        private int grace = graceHundredths;
        private int intervalMillis;

        private ActivityTrace(Supplier<? extends @Nullable Session> subject, long acceptedNanos) {
            this.subject = subject;
            seenNanos = acceptedNanos;
            seenMillis = sinceBeginMillis(acceptedNanos);
            connectedMillis = seenMillis;
            fromMillis = seenMillis;
        }

        /** Takes down whether complete frames have come in since the last look. */
        public void look() {
            Session session = subject.get();
            if (session == null || session.lastFrameInNanos() == seenNanos) {
                return;
            }
            seenNanos = session.lastFrameInNanos();
            protocol = session.protocolName();
            grace = session.policy().graceHundredths();
            intervalMillis = session.intervalMillis();
            add(sinceBeginMillis(seenNanos));
        }

        /** The session's time of its last frame was moved because we did not listen; nobody has spoken. */
        public void moved() {
            Session session = subject.get();
            if (session != null) {
                seenNanos = session.lastFrameInNanos();
            }
        }

        private void add(long atMillis) {
            if (reads == settings.stamps()) {
                tell(0, null);
            }
            if (reads == readsMillis.length) {
                readsMillis = Arrays.copyOf(readsMillis, Math.min(settings.stamps(), 2 * reads));
            }
            // a silence over 24 days is told as one of 24 days
            int deltaMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(0, atMillis - seenMillis));
            readsMillis[reads++] = deltaMillis;
            seenMillis += deltaMillis;
        }

        private void end(String lastProtocol, CloseReason reason) {
            look(); // the read that ended it may have brought its last frame
            protocol = lastProtocol;
            tell(Math.max(seenMillis, sinceBeginMillis(nanoClock.getAsLong())), reason);
        }

        private void tell(long endedMillis, @Nullable CloseReason ended) {
            sink.publish(new TraceSegment(
                    wallMillis.getAsLong(),
                    trace,
                    number,
                    protocol,
                    connectedMillis,
                    fromMillis,
                    intervalMillis,
                    grace,
                    Arrays.copyOf(readsMillis, reads),
                    endedMillis,
                    ended));
            reads = 0;
            fromMillis = seenMillis;
        }
    }
}
