package io.heartwheel.session;

import io.heartwheel.event.DeadlineKind;
import org.jspecify.annotations.Nullable;

/**
 * What hangs over a session that is silent or stuck, and what its next sign of life settles: a question asked, a suspicion of the breaker, a mark of
 * the shadow policy. Exists only then. Immutable, so that the wheel's thread sees it whole.
 *
 * @param asked whether a probe went out
 * @param askedNanos when, nanoseconds
 * @param suspicion whether and how far it is suspect
 * @param cause the deadline that made it so
 * @param suspectNanos since when
 * @param heldUntilNanos while suspect: not closed before, nanoseconds
 * @param shadowed the shadow's deadline that has passed; null if none has
 * @param shadowDueNanos when it passed
 * @param attempt number of the {@link ShadowPolicy} that this deadline is of
 */
record Doubt(
        boolean asked,
        long askedNanos,
        Suspicion suspicion,
        @Nullable DeadlineKind cause,
        long suspectNanos,
        long heldUntilNanos,
        @Nullable DeadlineKind shadowed,
        long shadowDueNanos,
        int attempt) {

    /** How a suspect stands. */
    enum Suspicion {
        /** It is none. */
        NONE,
        /** It has time to speak. */
        WAITING,
        /** That time is over and it has a place in the row of those to be closed. */
        IN_ROW,
        /** It missed its turn, because we stood still, and has another, which it does not lose however late we come to it. */
        LAST_TURN
    }

    /** Nothing yet. */
    static final Doubt NONE = new Doubt(false, 0, Suspicion.NONE, null, 0, 0, null, 0, 0);

    Doubt askedAt(long nowNanos) {
        return new Doubt(
                true, nowNanos, suspicion, cause, suspectNanos, heldUntilNanos, shadowed, shadowDueNanos, attempt);
    }

    Doubt unasked() {
        return new Doubt(false, 0, suspicion, cause, suspectNanos, heldUntilNanos, shadowed, shadowDueNanos, attempt);
    }

    /** The same, with its question put off by a time that is not counted: what was asked once need not be asked again. */
    Doubt later(long nanos) {
        return asked ? askedAt(askedNanos + nanos) : this;
    }

    Doubt suspectedFor(DeadlineKind kind, long nowNanos, long untilNanos) {
        return new Doubt(
                asked, askedNanos, Suspicion.WAITING, kind, nowNanos, untilNanos, shadowed, shadowDueNanos, attempt);
    }

    Doubt inRowUntil(long turnNanos) {
        Suspicion place = suspicion == Suspicion.IN_ROW ? Suspicion.LAST_TURN : Suspicion.IN_ROW;
        return new Doubt(asked, askedNanos, place, cause, suspectNanos, turnNanos, shadowed, shadowDueNanos, attempt);
    }

    Doubt absolved() {
        return new Doubt(asked, askedNanos, Suspicion.NONE, null, 0, 0, shadowed, shadowDueNanos, attempt);
    }

    Doubt shadowedBy(@Nullable DeadlineKind kind, long dueNanos, int number) {
        return new Doubt(asked, askedNanos, suspicion, cause, suspectNanos, heldUntilNanos, kind, dueNanos, number);
    }

    boolean isSuspect() {
        return suspicion != Suspicion.NONE;
    }

    /** Whether a suspect is not to be closed yet. */
    boolean holds(long nowNanos) {
        return isSuspect() && nowNanos - heldUntilNanos < 0;
    }

    /** Whether only what the peer takes, not what it says, settles the suspicion. */
    boolean suspectOfNotDraining() {
        return isSuspect() && cause == DeadlineKind.WRITE_PROGRESS;
    }

    boolean shadowedForNotDraining() {
        return shadowed == DeadlineKind.WRITE_PROGRESS;
    }
}
