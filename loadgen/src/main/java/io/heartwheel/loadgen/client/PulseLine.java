package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * A connection with its heartbeats: what was granted, what was sent, what is not answered yet. Everything here begins anew
 * with each connection. Owner: its event loop; times are nanoseconds since the run began.
 */
abstract class PulseLine extends Line {

    private static final long MILLI = 1_000_000L;

    private @Nullable Cadence cadence;
    private long grantedMillis;
    private int graceHundredths;
    private long newestDueNanos;
    private long newestSentNanos;
    private int beats;
    private int answered;
    private int lastAnswered;

    PulseLine(Crew crew, Dialect dialect) {
        super(crew, dialect);
    }

    /** When the heartbeat with this number was due. */
    abstract long beatDueNanos(int sequence);

    @Override
    final void connecting(Dialect speaks) {
        super.connecting(speaks);
        newestDueNanos = 0;
        beats = 0;
        answered = 0;
        lastAnswered = 0;
    }

    /** This is the promise now. */
    void granted(long interval, int grace) {
        grantedMillis = interval;
        graceHundredths = grace;
        cadence = crew().cadence(interval);
    }

    /** Sends the heartbeat due at this time. */
    void sendBeat(long dueNanos) {
        beats++;
        newestDueNanos = dueNanos;
        newestSentNanos = crew().clock.nanos();
        dialect().beat(this, beats);
    }

    /**
     * The heartbeat with this number was answered.
     *
     * @return how long ago it was due
     */
    long noteAnswer(int sequence, long nowNanos) {
        if (sequence <= lastAnswered || sequence > beats) {
            throw new WireException(
                    CloseCodes.MALFORMED, "PONG " + sequence + ": need over " + lastAnswered + ", at most " + beats);
        }
        lastAnswered = sequence;
        answered++;
        return nowNanos - beatDueNanos(sequence);
    }

    @Override
    final void answeredNext() {
        if (lastAnswered < beats) {
            answered(lastAnswered + 1);
        }
    }

    /** Number of the newest heartbeat; 0 before the first. */
    final int newestBeat() {
        return beats;
    }

    /** When the newest heartbeat was due. */
    final long newestDueNanos() {
        return newestDueNanos;
    }

    /** When it was sent. */
    final long newestSentNanos() {
        return newestSentNanos;
    }

    final Cadence cadence() {
        Cadence own = cadence;
        if (own == null) {
            throw new IllegalStateException("device " + index() + " was never welcomed");
        }
        return own;
    }

    /** When the heartbeat with this number was due, if all up to the newest came evenly. */
    final long evenlyDueNanos(int sequence) {
        return newestDueNanos - (beats - sequence) * cadence().periodNanos();
    }

    /** The first beat after this time, at its own phase. */
    final long firstBeatNanos(long nowNanos) {
        return cadence().firstAfter(index(), nowNanos);
    }

    /** When it acts next, if it cannot act now. */
    final long later(long dueNanos) {
        return dueNanos + cadence().periodNanos();
    }

    /** Granted interval x grace: how long it may be silent. */
    public final long allowedSilenceNanos() {
        return grantedMillis * MILLI * graceHundredths / 100;
    }

    /** Granted interval, milliseconds. */
    public final long grantedMillis() {
        return grantedMillis;
    }

    /** Unanswered heartbeats of this connection that were due at or before this instant. */
    public final int overdueAnswers(long instantNanos) {
        int overdue = beats - answered;
        for (int sequence = beats; overdue > 0 && beatDueNanos(sequence) > instantNanos; sequence--) {
            overdue--;
        }
        return overdue;
    }
}
