package io.heartwheel.liveness;

import io.heartwheel.event.DeadlineKind;
import org.jspecify.annotations.Nullable;

/**
 * Open checks of a connection that is silent or does not drain: a probe without an answer, a suspicion of the breaker, a mark of the shadow policy. Its
 * next sign of life settles them. A connection without any has none of these objects. Immutable, so that the wheel's thread sees it whole.
 *
 * @param probe the probe that waits for its answer; null if none does
 * @param suspicion why and how far it is suspect; null if it is not
 * @param mark the deadline of the shadow policy that has passed; null if none has
 */
record OpenChecks(@Nullable ProbeState probe, @Nullable Suspicion suspicion, @Nullable ShadowMark mark) {
    /** Nothing is open. */
    static final OpenChecks NONE = new OpenChecks(null, null, null);

    /**
     * A probe without an answer.
     *
     * @param sentNanos when it was sent, nanoseconds
     */
    record ProbeState(long sentNanos) {}

    /**
     * A suspicion of the breaker.
     *
     * @param cause the deadline that had passed
     * @param sinceNanos since when it is suspect, nanoseconds
     * @param heldUntilNanos it is not closed before this time, nanoseconds
     */
    record Suspicion(Stage stage, DeadlineKind cause, long sinceNanos, long heldUntilNanos) {
        /** Stage of a suspect on its way to a close. */
        enum Stage {
            /** It has time to speak. */
            WAITING,
            /** That time is over, and it has a turn to be closed. */
            QUEUED,
            /** It missed its turn because this process stood still. It keeps the second one, however late that is taken. */
            LAST_TURN
        }

        Suspicion queuedUntil(long turnNanos) {
            Stage next = stage == Stage.QUEUED ? Stage.LAST_TURN : Stage.QUEUED;
            return new Suspicion(next, cause, sinceNanos, turnNanos);
        }
    }

    /**
     * A deadline of the shadow policy that has passed.
     *
     * @param dueNanos when it passed, nanoseconds
     * @param attempt number of the {@link ShadowPolicy} that it belongs to
     */
    record ShadowMark(DeadlineKind kind, long dueNanos, int attempt) {}

    OpenChecks probedAt(long nowNanos) {
        return new OpenChecks(new ProbeState(nowNanos), suspicion, mark);
    }

    OpenChecks answered() {
        return with(null, suspicion, mark);
    }

    /** The same with the probe later by a time that does not count: it need not be sent again. */
    OpenChecks later(long nanos) {
        return probe == null ? this : probedAt(probe.sentNanos + nanos);
    }

    OpenChecks suspectedFor(DeadlineKind cause, long sinceNanos, long untilNanos) {
        return new OpenChecks(probe, new Suspicion(Suspicion.Stage.WAITING, cause, sinceNanos, untilNanos), mark);
    }

    OpenChecks queuedUntil(long turnNanos) {
        return suspicion == null ? this : new OpenChecks(probe, suspicion.queuedUntil(turnNanos), mark);
    }

    OpenChecks cleared() {
        return with(probe, null, mark);
    }

    OpenChecks marked(@Nullable ShadowMark next) {
        return with(probe, suspicion, next);
    }

    private static OpenChecks with(
            @Nullable ProbeState probe, @Nullable Suspicion suspicion, @Nullable ShadowMark mark) {
        return probe == null && suspicion == null && mark == null ? NONE : new OpenChecks(probe, suspicion, mark);
    }

    boolean isProbed() {
        return probe != null;
    }

    boolean isSuspect() {
        return suspicion != null;
    }

    /** Whether a suspect is not to be closed yet. */
    boolean holds(long nowNanos) {
        return suspicion != null && nowNanos - suspicion.heldUntilNanos < 0;
    }

    /** Whether what the peer says settles the suspicion. What it takes settles one of not draining. */
    boolean isSuspectOfSilence() {
        return suspicion != null && suspicion.cause != DeadlineKind.WRITE_PROGRESS;
    }

    boolean isSuspectOfNotDraining() {
        return suspicion != null && suspicion.cause == DeadlineKind.WRITE_PROGRESS;
    }

    boolean isMarkedForNotDraining() {
        return mark != null && mark.kind == DeadlineKind.WRITE_PROGRESS;
    }

    /** Whether the mark is for silence, which the bytes of an unfinished frame end as well. */
    boolean isMarkedForSilence() {
        return mark != null && (mark.kind == DeadlineKind.HEARTBEAT || mark.kind == DeadlineKind.READER_IDLE);
    }
}
