package io.heartwheel.liveness;

import static io.heartwheel.liveness.LivenessPolicy.OFF;
import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.DeadlineKind;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines of a connection and the verdict on it: pure functions of its fields, a policy, our own stalls and a time that is handed in.
 *
 * <p>The contract: {@link #judge} never closes before a deadline, and always at or after it. The wheel asks within one tick of the deadline;
 * so the close comes at the latest one tick and the loop's own delay after it.
 *
 * <pre>
 *   last complete frame, or last byte
 *   of one that is under way   interval   + margin                 interval x grace
 *          |------------ KEEP ----|--- KEEP ---|-- PROBE, then KEEP ----|-- CLOSE_HEARTBEAT
 * </pre>
 *
 * The margin is a share of the grace, so that a device that beats exactly at its interval is not asked each time. What is no verdict, probes, our own
 * signs of life and GOAWAY for age, is armed up to a second later ({@link #together}); what closes is not. A probe that went out late, because
 * we were stalled, leaves the peer half of its grace to answer: a WebSocket peer that only ever answers probes is not killed for our delay. Every timeout of the peer's is measured in time in which we listened
 * ({@link Stalls}); what the loop computes has that credit in it, what the wheel's thread computes ({@link #uncredited}) has not and is at most early, which costs a look. A
 * suspect of the breaker is held until its time. All times are monotonic nanoseconds, compared by the sign of their difference, so the clock may start
 * anywhere and cross zero and the greatest value.
 *
 * <p>Loop of the connection only, but for {@link #uncredited} and {@link #earlier}.
 */
public final class Liveness {
    private Liveness() {}

    /** What has to happen to this connection at this time. The gravest first; after each act, judge again. */
    static Verdict judge(MonitoredConnection s, long nowNanos) {
        return switch (s.state()) {
            case HANDSHAKE -> judgeHandshake(s, nowNanos, Verdict.CLOSE_HANDSHAKE);
            case AUTHENTICATING -> judgeHandshake(s, nowNanos, Verdict.CLOSE_AUTHENTICATION);
            case CLAIMING ->
                isPast(s.phaseDeadlineNanos(), nowNanos)
                        ? Verdict.CLAIM_AGAIN
                        : judgeHandshake(s, nowNanos, Verdict.CLOSE_CLAIM);
            case ESTABLISHED, LEAVING -> judgeEstablished(s, nowNanos);
            case CLOSED -> isPast(linger(s, clockOf(s)), nowNanos) ? Verdict.CUT : Verdict.KEEP;
        };
    }

    private static Verdict judgeHandshake(MonitoredConnection s, long nowNanos, Verdict late) {
        LivenessPolicy policy = s.policy();
        TimeoutClock clock = clockOf(s);
        if (isPast(handshake(s, policy, clock), nowNanos)) {
            return late;
        }
        return isPast(partial(s, policy, clock), nowNanos) ? Verdict.CLOSE_READ_STALLED : Verdict.KEEP;
    }

    private static Verdict judgeEstablished(MonitoredConnection s, long nowNanos) {
        Verdict verdict = judgeSigns(s, s.policy(), nowNanos);
        OpenChecks checks = s.checks();
        boolean held = checks != null && checks.holds(nowNanos) && verdict.closes();
        if (verdict != Verdict.KEEP && !held) {
            return verdict;
        }
        if (isPast(s.expiryNanos(), nowNanos)) {
            return Verdict.CLOSE_EXPIRED;
        }
        if (isPast(s.expiryWarningNanos(), nowNanos)) {
            return Verdict.WARN_OF_EXPIRY;
        }
        if (isPast(s.phaseDeadlineNanos(), nowNanos)) {
            return s.state() == ConnectionState.LEAVING ? Verdict.CLOSE_LEAVING : Verdict.SEND_AWAY;
        }
        boolean speaks = isPast(writerIdle(s), nowNanos) || isPast(ping(s), nowNanos);
        return speaks ? Verdict.KEEP_ALIVE : Verdict.KEEP;
    }

    /** By the signs of life alone: what the peer says, finishes and takes. */
    private static Verdict judgeSigns(MonitoredConnection s, LivenessPolicy policy, long nowNanos) {
        TimeoutClock clock = clockOf(s);
        if (isPast(partial(s, policy, clock), nowNanos)) {
            return Verdict.CLOSE_READ_STALLED;
        }
        if (isPast(write(s, policy, clock), nowNanos)) {
            return Verdict.CLOSE_WRITE_STALLED;
        }
        if (!isPast(silence(s, policy, clock), nowNanos)) {
            return Verdict.KEEP;
        }
        if (s.intervalMillis == 0) {
            return Verdict.CLOSE_READ_IDLE;
        }
        return policy.probe && !isProbed(s) ? Verdict.PROBE : Verdict.CLOSE_HEARTBEAT;
    }

    /** 1 if a timeout of the peer's is so short in this state that a second more or less of our stalls matters, else 0. */
    static int exactness(MonitoredConnection s) {
        boolean exact =
                switch (s.state()) {
                    case HANDSHAKE, AUTHENTICATING, CLAIMING -> s.policy().exactHandshake;
                    case ESTABLISHED, LEAVING -> s.policy().isExact(s.intervalMillis, s.readerIdle());
                    case CLOSED -> true;
                };
        return exact ? 1 : 0;
    }

    // ------------------------------------------------------------------ when to look next

    /** The earliest deadline, credit and the breaker's patience included; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if there is none. */
    static long nextNanos(MonitoredConnection s) {
        return next(s, clockOf(s));
    }

    /**
     * The same without credit. Wheel thread too, which may see fields of different instants: then the answer is early and the loop judges anew, or as
     * late as a frame that has just come in made it.
     */
    static long uncredited(MonitoredConnection s) {
        return next(s, TimeoutClock.PLAIN);
    }

    private static long next(MonitoredConnection s, TimeoutClock clock) {
        LivenessPolicy policy = s.policy();
        if (!s.isEstablished()) {
            long phase = s.state() == ConnectionState.CLOSED ? linger(s, clock) : handshake(s, policy, clock);
            if (s.state() == ConnectionState.CLAIMING) {
                phase = earlier(phase, s.phaseDeadlineNanos());
            }
            return earlier(earlier(phase, partial(s, policy, clock)), shadow(s, clock));
        }
        long silence = silence(s, policy, clock);
        if (policy.probe && s.intervalMillis != 0 && !isProbed(s)) {
            silence = together(silence, policy.probeSlackNanos(s.intervalMillis));
        }
        long signs = earlier(earlier(partial(s, policy, clock), write(s, policy, clock)), silence);
        OpenChecks checks = s.checks();
        if (checks != null && checks.suspicion() != null && signs != NO_DEADLINE) {
            signs = later(signs, checks.suspicion().heldUntilNanos());
        }
        signs = earlier(signs, lookAtWrites(s, policy));
        return earlier(earlier(signs, shadow(s, clock)), housekeeping(s, policy));
    }

    /** Age, leaving, expiry and our own signs of life. Only the end of leaving and expiry close, so they are not put off. */
    private static long housekeeping(MonitoredConnection s, LivenessPolicy policy) {
        long phaseNanos = s.phaseDeadlineNanos();
        if (s.state() != ConnectionState.LEAVING) {
            phaseNanos = together(phaseNanos, policy.housekeepingSlackNanos(policy.ageNanos));
        }
        long writeNanos = together(writerIdle(s), policy.housekeepingSlackNanos(policy.writerIdleNanos));
        long pingNanos = together(ping(s), policy.housekeepingSlackNanos(policy.pingNanos));
        return earlier(
                earlier(earlier(phaseNanos, writeNanos), pingNanos), earlier(s.expiryNanos(), s.expiryWarningNanos()));
    }

    /** The next time at which all that has this slack, or more, is done together: one wake-up of the wheel and of the loop for many. */
    private static long together(long dueNanos, long slackNanos) {
        if (dueNanos == NO_DEADLINE) {
            return NO_DEADLINE;
        }
        long pastNanos = Math.floorMod(dueNanos, slackNanos);
        return pastNanos == 0 ? dueNanos : dueNanos + (slackNanos - pastNanos);
    }

    /** The earlier of two deadlines, either of which may be {@link io.heartwheel.wheel.Deadline#NO_DEADLINE}. */
    public static long earlier(long a, long b) {
        if (a == NO_DEADLINE) {
            return b;
        }
        return b == NO_DEADLINE || a - b < 0 ? a : b;
    }

    // ------------------------------------------------------------------ for lateness and explanation

    /** The deadline of this kind in force, credit included, a suspect's time not; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it does not run. */
    public static long deadlineNanos(MonitoredConnection s, DeadlineKind kind) {
        return deadline(s, kind, s.policy(), clockOf(s));
    }

    /** Whether the deadline of this kind by that policy has passed. */
    static boolean isPast(MonitoredConnection s, LivenessPolicy policy, DeadlineKind kind, long nowNanos) {
        return isPast(deadline(s, kind, policy, clockOf(s)), nowNanos);
    }

    /** {@link #deadlineNanos} without credit. */
    public static long uncreditedNanos(MonitoredConnection s, DeadlineKind kind) {
        return deadline(s, kind, s.policy(), TimeoutClock.PLAIN);
    }

    /** By how much credit has moved a deadline that would have closed the connection by now; 0 if none would have. */
    static long creditInForceNanos(MonitoredConnection s, long nowNanos) {
        long creditNanos = 0;
        for (DeadlineKind kind : LivenessPolicy.SIGNS) {
            long uncreditedNanos = uncreditedNanos(s, kind);
            if (isPast(uncreditedNanos, nowNanos)) {
                creditNanos = Math.max(creditNanos, deadlineNanos(s, kind) - uncreditedNanos);
            }
        }
        return creditNanos;
    }

    private static long deadline(MonitoredConnection s, DeadlineKind kind, LivenessPolicy policy, TimeoutClock clock) {
        return switch (kind) {
            case HANDSHAKE, AUTHENTICATION, CLAIM -> s.isEstablished() ? NO_DEADLINE : handshake(s, policy, clock);
            case EXPIRY -> s.isEstablished() ? s.expiryNanos() : NO_DEADLINE;
            case AGE, LEAVING -> s.isEstablished() ? s.phaseDeadlineNanos() : NO_DEADLINE;
            case HEARTBEAT -> s.intervalMillis == 0 ? NO_DEADLINE : silenceClose(s, policy, clock);
            case READER_IDLE -> s.intervalMillis == 0 ? silence(s, policy, clock) : NO_DEADLINE;
            case READ_PROGRESS -> partial(s, policy, clock);
            case WRITE_PROGRESS -> write(s, policy, clock);
        };
    }

    // ------------------------------------------------------------------ the shadow policy

    /** The shadow's deadline that has passed, the earliest if there are several; null if none has. */
    static @Nullable DeadlineKind judgeShadow(MonitoredConnection s, LivenessPolicy shadow, long nowNanos) {
        DeadlineKind found = null;
        long earliest = NO_DEADLINE;
        for (DeadlineKind kind : LivenessPolicy.SIGNS) {
            long deadlineNanos = deadline(s, kind, shadow, clockOf(s));
            if (isPast(deadlineNanos, nowNanos) && earlier(earliest, deadlineNanos) == deadlineNanos) {
                earliest = deadlineNanos;
                found = kind;
            }
        }
        return found;
    }

    /** The deadline of this kind by the shadow. */
    static long shadowDeadlineNanos(MonitoredConnection s, LivenessPolicy shadow, DeadlineKind kind) {
        return deadline(s, kind, shadow, clockOf(s));
    }

    private static long shadow(MonitoredConnection s, TimeoutClock clock) {
        LivenessPolicy shadow = s.livenessContext().shadowPolicy().policy();
        OpenChecks checks = s.checks();
        if (shadow == null || s.state() == ConnectionState.CLOSED || (checks != null && checks.mark() != null)) {
            return NO_DEADLINE;
        }
        long earliest = NO_DEADLINE;
        for (DeadlineKind kind : LivenessPolicy.SIGNS) {
            earliest = earlier(earliest, deadline(s, kind, shadow, clock));
        }
        return earliest;
    }

    // ------------------------------------------------------------------ one deadline each

    private static long handshake(MonitoredConnection s, LivenessPolicy policy, TimeoutClock clock) {
        if (policy.handshakeNanos != OFF) {
            return clock.dueNanos(s.openedNanos(), policy.handshakeNanos);
        }
        // a handshake may take any time, but not the answer whether the device may come in
        return policy == s.policy() ? s.phaseDeadlineNanos() : NO_DEADLINE;
    }

    /** The peer may take its time to read why it was closed, in which we must be able to read what it still sends: else that resets the connection. */
    private static long linger(MonitoredConnection s, TimeoutClock clock) {
        long endNanos = s.phaseDeadlineNanos();
        if (endNanos == NO_DEADLINE) {
            return NO_DEADLINE;
        }
        long mostNanos =
                clock.dueNanos(endNanos - MonitoredConnection.MOST_LINGER_NANOS, MonitoredConnection.MOST_LINGER_NANOS);
        return earlier(clock.dueNanos(s.lastFrameInNanos(), MonitoredConnection.LINGER_NANOS), mostNanos);
    }

    /** When a silent peer is to be asked, or if it was or is never asked, closed. */
    private static long silence(MonitoredConnection s, LivenessPolicy policy, TimeoutClock clock) {
        if (!s.isEstablished() || s.isUnheard()) {
            return NO_DEADLINE;
        }
        if (s.intervalMillis == 0) {
            boolean watched = s.readerIdle() && policy.readerIdleNanos != OFF;
            return watched ? clock.dueNanos(s.heardNanos(), policy.readerIdleNanos) : NO_DEADLINE;
        }
        if (policy.probe && !isProbed(s)) {
            return s.heardNanos() + policy.probeAfterNanos(s.intervalMillis);
        }
        return silenceClose(s, policy, clock);
    }

    /** When a silent device is closed; asked or not, but never before it was asked and had time to answer, by a shorter shadow either. */
    private static long silenceClose(MonitoredConnection s, LivenessPolicy policy, TimeoutClock clock) {
        if (!s.isEstablished() || s.isUnheard() || !policy.heartbeat) {
            return NO_DEADLINE;
        }
        long heardNanos = s.heardNanos();
        long closeNanos = clock.dueNanos(heardNanos, policy.closeAfterNanos(s.intervalMillis));
        if (!policy.probe) {
            return closeNanos;
        }
        OpenChecks checks = s.checks();
        long probedNanos = checks != null && checks.probe() != null
                ? checks.probe().sentNanos()
                : together(
                        heardNanos + s.policy().probeAfterNanos(s.intervalMillis),
                        s.policy().probeSlackNanos(s.intervalMillis));
        return later(closeNanos, clock.dueNanos(probedNanos, policy.answerNanos(s.intervalMillis)));
    }

    /** Whether a probe has waited for its answer for as long as every probe does. */
    static boolean isUnanswered(MonitoredConnection s, long nowNanos) {
        OpenChecks checks = s.checks();
        if (checks == null || checks.probe() == null) {
            return false;
        }
        long answerNanos = s.policy().rivalAnswerNanos(s.intervalMillis);
        return isPast(clockOf(s).dueNanos(checks.probe().sentNanos(), answerNanos), nowNanos);
    }

    private static boolean isProbed(MonitoredConnection s) {
        OpenChecks checks = s.checks();
        return checks != null && checks.isProbed();
    }

    private static long partial(MonitoredConnection s, LivenessPolicy policy, TimeoutClock clock) {
        PartialFrame frame = s.unfinished();
        if (frame == null || policy.readProgressNanos == OFF || s.isUnheard()) {
            return NO_DEADLINE;
        }
        return clock.dueNanos(frame.coveredNanos(policy == s.policy()), policy.readProgressNanos);
    }

    private static long write(MonitoredConnection s, LivenessPolicy policy, TimeoutClock clock) {
        Backlog backlog = s.backlog();
        long timeoutNanos = policy.writeProgressNanos;
        return backlog == null || timeoutNanos == OFF
                ? NO_DEADLINE
                : clock.dueNanos(backlog.progressNanos, timeoutNanos);
    }

    /** Progress is seen by looking: sixteen times a timeout, so that it is dated well enough. */
    private static long lookAtWrites(MonitoredConnection s, LivenessPolicy policy) {
        Backlog backlog = s.backlog();
        // where nobody waits for progress, the sign of life still waits for the end of the backlog
        long speakNanos = policy.writerIdleNanos == OFF ? policy.pingNanos : policy.writerIdleNanos;
        long timeoutNanos = policy.writeProgressNanos == OFF ? speakNanos : policy.writeProgressNanos;
        return backlog == null || timeoutNanos == OFF ? NO_DEADLINE : backlog.lookedNanos + timeoutNanos / 16;
    }

    private static long writerIdle(MonitoredConnection s) {
        long timeoutNanos = s.policy().writerIdleNanos;
        boolean watched = timeoutNanos != OFF && s.backlog() == null;
        return watched ? s.lastFrameOutNanos() + timeoutNanos : NO_DEADLINE;
    }

    private static long ping(MonitoredConnection s) {
        return s.backlog() == null ? s.pingNanos() : NO_DEADLINE;
    }

    private static TimeoutClock clockOf(MonitoredConnection s) {
        return s.livenessContext().stalls();
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    private static boolean isPast(long deadlineNanos, long nowNanos) {
        return deadlineNanos != NO_DEADLINE && nowNanos - deadlineNanos >= 0;
    }
}
