package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Evidence;
import io.heartwheel.session.SessionObserver.ShadowOutcome;
import io.heartwheel.session.SessionObserver.SuspectOutcome;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that deals with doubt: probes and their answers, suspicions of the breaker, marks of the shadow policy. Each is opened here
 * and settled here, exactly once.
 *
 * <p>Loop only.
 */
abstract class Questioned extends Watched {
    private @Nullable ProbeStats answers;

    Questioned(SessionContext sessionContext) {
        super(sessionContext);
    }

    // ------------------------------------------------------------------ a doubt begins

    /** A probe goes out. One that follows an unanswered one gives no more time to answer: the first counts. */
    final void asked(long nowNanos) {
        Doubt before = doubtOrNone();
        doubt(before.asked() ? before : before.askedAt(nowNanos));
        if (answers == null) {
            answers = new ProbeStats();
        }
        answers.sent();
        sessionContext().observer().probed();
    }

    /** The breaker holds back its close. */
    final void suspect(DeadlineKind kind, long nowNanos) {
        doubt(doubtOrNone()
                .suspectedFor(
                        kind, nowNanos, nowNanos + sessionContext().breaker().patienceNanos()));
        sessionContext().breaker().suspected();
    }

    /** Its time to speak is over; it is closed at its turn. */
    final void queueForClose(long turnNanos) {
        doubt(doubtOrNone().inRowUntil(turnNanos));
        rearm();
    }

    /** Notes whether the shadow policy would have closed it by now. */
    final void lookAtShadow(long nowNanos) {
        ShadowPolicy.Attempt attempt = sessionContext().shadowPolicy().attempt();
        LivenessPolicy shadow = attempt.policy();
        if (shadow == null || state() == Session.State.CLOSED || doubtOrNone().shadowed() != null) {
            return;
        }
        DeadlineKind kind = Liveness.judgeShadow(this, shadow, nowNanos);
        if (kind != null) {
            long dueNanos = Liveness.shadowDeadlineNanos(this, shadow, kind);
            doubt(doubtOrNone().shadowedBy(kind, dueNanos, attempt.number()));
            sessionContext().observer().shadowed(kind);
        }
    }

    // ------------------------------------------------------------------ and ends

    @Override
    final void spoke(long nowNanos) {
        Doubt before = doubtOrNone();
        if (before.asked() && answers != null) {
            answers.answered(Math.max(0, nowNanos - before.askedNanos()));
        }
        boolean marked = before.shadowed() != null && !before.shadowedForNotDraining();
        alive(before, marked, nowNanos);
    }

    /** A sign of life, though no answer: what is asked next is asked anew. Whether the frame keeps up, only its end tells. */
    @Override
    final void trickled(long nowNanos) {
        Doubt before = doubtOrNone();
        boolean marked = before.shadowed() == DeadlineKind.HEARTBEAT || before.shadowed() == DeadlineKind.READER_IDLE;
        if (before.asked() || marked || (before.isSuspect() && !before.suspectOfNotDraining())) {
            alive(before, marked, nowNanos);
        }
    }

    private void alive(Doubt before, boolean marked, long nowNanos) {
        Doubt after = before.unasked();
        if (before.isSuspect() && !before.suspectOfNotDraining()) {
            after = clear(after, nowNanos);
        }
        if (marked) {
            after = unmark(after, ShadowOutcome.SPOKE, nowNanos);
        }
        doubt(after);
        // with a great grace the next probe is due before the close that the entry waits for
        rearm();
    }

    /** What the peer says does not settle whether it drains; what it takes does. */
    final void lookAtDraining(long nowNanos) {
        Doubt doubt = doubt();
        if (doubt == null) {
            return;
        }
        if (doubt.suspectOfNotDraining() && !isStalled(policy(), nowNanos)) {
            doubt = clear(doubt, nowNanos);
        }
        LivenessPolicy shadow = sessionContext().shadowPolicy().policy();
        if (doubt.shadowedForNotDraining() && (shadow == null || !isStalled(shadow, nowNanos))) {
            doubt = unmark(doubt, ShadowOutcome.SPOKE, nowNanos);
        }
        doubt(doubt);
    }

    private boolean isStalled(LivenessPolicy policy, long nowNanos) {
        return Liveness.isPast(this, policy, DeadlineKind.WRITE_PROGRESS, nowNanos);
    }

    /** The connection ends: nothing stays open. */
    final void settle(CloseReason reason, long nowNanos) {
        Doubt doubt = doubtOrNone();
        boolean foundDead = reason.isDeadline() && reason != CloseReason.MAX_AGE;
        if (doubt.isSuspect()) {
            SuspectOutcome outcome = foundDead ? SuspectOutcome.CLOSED : SuspectOutcome.LEFT;
            sessionContext().breaker().settled(outcome, nowNanos - doubt.suspectNanos());
        }
        if (doubt.shadowed() != null) {
            // who takes its leave was alive
            ShadowOutcome otherwise = reason == CloseReason.PEER_CLOSED ? ShadowOutcome.SPOKE : ShadowOutcome.LEFT;
            unmark(doubt, foundDead ? ShadowOutcome.CLOSED : otherwise, nowNanos);
        }
        doubt(null);
    }

    private Doubt clear(Doubt doubt, long nowNanos) {
        sessionContext().breaker().settled(SuspectOutcome.CLEARED, nowNanos - doubt.suspectNanos());
        return doubt.absolved();
    }

    private Doubt unmark(Doubt doubt, ShadowOutcome outcome, long nowNanos) {
        DeadlineKind kind = doubt.shadowed();
        if (kind != null
                && doubt.attempt() == sessionContext().shadowPolicy().attempt().number()) {
            sessionContext().observer().shadowSettled(kind, outcome, nowNanos - doubt.shadowDueNanos(), (Session) this);
        }
        return doubt.shadowedBy(null, 0, 0);
    }

    // ------------------------------------------------------------------ for the record

    final Doubt doubtOrNone() {
        Doubt doubt = doubt();
        return doubt == null ? Doubt.NONE : doubt;
    }

    final Evidence.Probes probes(long nowNanos) {
        Doubt doubt = doubtOrNone();
        long askedAgo = TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - doubt.askedNanos()));
        return ProbeStats.evidence(answers, doubt.asked() ? askedAgo : Evidence.NEVER);
    }
}
