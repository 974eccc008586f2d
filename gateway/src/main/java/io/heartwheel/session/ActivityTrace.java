package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.TraceSegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When the complete frames of one traced connection came in, to the millisecond. Frames that came in with one read have one time, that which the
 * heartbeat deadline counts from.
 *
 * <p>Owner: the loop of the connection; all is for it alone.
 */
public final class ActivityTrace {
    private static final int FIRST_STAMPS = 16;

    /** The connection that is traced. */
    @FunctionalInterface
    public interface Subject {
        /** Its session, which may give way to another while the protocol is found out; null once there is none. Loop only. */
        @Nullable
        Session session();
    }

    private final ActivityTraces activityTraces;
    private final Subject subject;
    private final long number;
    private final long connectedMillis;

    private long seenNanos;
    private long seenMillis;
    private long fromMillis;
    private int[] readsMillis = new int[FIRST_STAMPS];
    private int reads;
    private String protocol = "handshake";
    private int graceHundredths;
    private int intervalMillis;

    ActivityTrace(ActivityTraces activityTraces, Subject subject, long number, long acceptedNanos) {
        this.activityTraces = activityTraces;
        this.subject = subject;
        this.number = number;
        seenNanos = acceptedNanos;
        seenMillis = activityTraces.sinceBeginMillis(acceptedNanos);
        connectedMillis = seenMillis;
        fromMillis = seenMillis;
        graceHundredths = activityTraces.graceHundredths();
    }

    /** Takes down whether complete frames have come in since the last look. */
    public void look() {
        Session session = subject.session();
        if (session == null || session.lastFrameInNanos() == seenNanos) {
            return;
        }
        seenNanos = session.lastFrameInNanos();
        protocol = session.protocolName();
        graceHundredths = session.policy().graceHundredths();
        intervalMillis = session.intervalMillis();
        add(activityTraces.sinceBeginMillis(seenNanos));
    }

    /** The session's time of its last frame was moved because we did not listen; nobody has spoken. */
    public void moved() {
        Session session = subject.session();
        if (session != null) {
            seenNanos = session.lastFrameInNanos();
        }
    }

    private void add(long atMillis) {
        if (reads == activityTraces.stamps()) {
            tell(0, null);
        }
        if (reads == readsMillis.length) {
            readsMillis = Arrays.copyOf(readsMillis, Math.min(activityTraces.stamps(), 2 * reads));
        }
        // a silence over 24 days is told as one of 24 days
        int deltaMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(0, atMillis - seenMillis));
        readsMillis[reads++] = deltaMillis;
        seenMillis += deltaMillis;
    }

    void end(String lastProtocol, CloseReason reason, long nowNanos) {
        look(); // the read that ended it may have brought its last frame
        protocol = lastProtocol;
        tell(Math.max(seenMillis, activityTraces.sinceBeginMillis(nowNanos)), reason);
    }

    private void tell(long endedMillis, @Nullable CloseReason ended) {
        activityTraces.publish(this, protocol, Arrays.copyOf(readsMillis, reads), endedMillis, ended);
        reads = 0;
        fromMillis = seenMillis;
    }

    TraceSegment traceSegment(
            long wallMillis,
            long trace,
            String protocolName,
            int[] millis,
            long endedMillis,
            @Nullable CloseReason ended) {
        return new TraceSegment(
                wallMillis,
                trace,
                number,
                protocolName,
                connectedMillis,
                fromMillis,
                intervalMillis,
                graceHundredths,
                millis,
                endedMillis,
                ended);
    }
}
