package io.heartwheel.session;

import static io.heartwheel.session.LivenessPolicy.OFF;
import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

/**
 * Whether a session still lives: pure functions of the session's fields and a time that is handed in.
 *
 * <p>The contract: {@link #judge} never closes before a deadline, and always at or after it. The wheel asks within one tick of the deadline;
 * so the close comes at the latest one tick and the loop's own delay after it.
 *
 * <pre>
 *   last complete frame                 interval                    interval x grace
 *          |------------ KEEP -------------|-- PROBE, then KEEP ----------|-- CLOSE_HEARTBEAT
 * </pre>
 *
 * A probe that went out late, because we were stalled, leaves the peer half of the time it should have had to answer: a WebSocket peer that
 * only ever answers probes is not killed for our delay. All times are monotonic nanoseconds, compared by the sign of their difference, so the
 * clock may start anywhere and cross zero and the greatest value.
 *
 * <p>Loop of the session only, but for {@link #earlier}.
 */
final class Liveness {
    private Liveness() {}

    /** What has to happen to this session at this time. The gravest first; after each act, judge again. */
    static Verdict judge(Watched s, long nowNanos) {
        return switch (s.state()) {
            case HANDSHAKE -> judgeHandshake(s, nowNanos, Verdict.CLOSE_HANDSHAKE);
            case CLAIMING -> judgeHandshake(s, nowNanos, Verdict.CLOSE_CLAIM);
            case ESTABLISHED, LEAVING -> judgeEstablished(s, nowNanos);
            case CLOSED -> isPast(s.phaseDeadlineNanos(), nowNanos) ? Verdict.CUT : Verdict.KEEP;
        };
    }

    /** The deadline behind a closing verdict, for lateness and explanation. */
    static long deadlineNanos(Watched s, Verdict verdict) {
        return switch (verdict) {
            case CLOSE_HANDSHAKE, CLOSE_CLAIM, CLOSE_LEAVING, SEND_AWAY, CUT -> s.phaseDeadlineNanos();
            case CLOSE_HEARTBEAT, PROBE -> silenceDeadlineNanos(s);
            case CLOSE_READ_IDLE -> s.lastFrameInNanos() + s.policy().readerIdleNanos;
            case CLOSE_READ_STALLED -> partialDeadlineNanos(s);
            case CLOSE_WRITE_STALLED -> writeDeadlineNanos(s);
            case KEEP_ALIVE -> s.lastFrameOutNanos() + s.policy().writerIdleNanos;
            case KEEP -> NO_DEADLINE;
        };
    }

    /** The earliest deadline that silence does not move; called by the wheel thread too, as {@link #silenceDeadlineNanos} is. {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if there is none. */
    static long steadyDeadlineNanos(Watched s) {
        long earliest = earlier(s.phaseDeadlineNanos(), partialDeadlineNanos(s));
        Backlog backlog = s.backlog();
        if (backlog != null && s.policy().writeProgressNanos != OFF) {
            earliest = earlier(earliest, nextLookNanos(s, backlog));
        } else if (s.policy().writerIdleNanos != OFF && s.isEstablished()) {
            earliest = earlier(earliest, s.lastFrameOutNanos() + s.policy().writerIdleNanos);
        }
        return earliest;
    }

    /**
     * The next deadline that a complete inbound frame moves. Called by the wheel thread too, which may see fields of different instants: then
     * the answer is early and the loop judges anew, or as late as a frame that has just come in made it.
     */
    static long silenceDeadlineNanos(Watched s) {
        if (s.silenceHeld()) {
            return NO_DEADLINE;
        }
        LivenessPolicy policy = s.policy();
        long lastFrameNanos = s.lastFrameInNanos();
        if (s.intervalMillis == 0) {
            return s.readerIdle() ? lastFrameNanos + policy.readerIdleNanos : NO_DEADLINE;
        }
        if (!policy.probe) {
            return lastFrameNanos + policy.closeAfterNanos(s.intervalMillis);
        }
        Probe asked = s.probe();
        return asked == null ? lastFrameNanos + LivenessPolicy.intervalNanos(s.intervalMillis) : asked.closeAtNanos();
    }

    /** When a device that is probed now is closed unless it answers. */
    static long closeAtNanos(Watched s, long nowNanos) {
        long close = s.policy().closeAfterNanos(s.intervalMillis);
        long answerNanos = (close - LivenessPolicy.intervalNanos(s.intervalMillis)) / 2;
        return later(s.lastFrameInNanos() + close, nowNanos + answerNanos);
    }

    static long earlier(long a, long b) {
        if (a == NO_DEADLINE) {
            return b;
        }
        return b == NO_DEADLINE || a - b < 0 ? a : b;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    private static Verdict judgeHandshake(Watched s, long nowNanos, Verdict late) {
        if (isPast(s.phaseDeadlineNanos(), nowNanos)) {
            return late;
        }
        return isPast(partialDeadlineNanos(s), nowNanos) ? Verdict.CLOSE_READ_STALLED : Verdict.KEEP;
    }

    private static Verdict judgeEstablished(Watched s, long nowNanos) {
        if (isPast(partialDeadlineNanos(s), nowNanos)) {
            return Verdict.CLOSE_READ_STALLED;
        }
        if (s.backlog() != null && isPast(writeDeadlineNanos(s), nowNanos)) {
            return Verdict.CLOSE_WRITE_STALLED;
        }
        if (isPast(silenceDeadlineNanos(s), nowNanos)) {
            return judgeSilence(s);
        }
        if (isPast(s.phaseDeadlineNanos(), nowNanos)) {
            return s.state() == Session.State.LEAVING ? Verdict.CLOSE_LEAVING : Verdict.SEND_AWAY;
        }
        long writerIdleNanos = s.policy().writerIdleNanos;
        boolean quiet = writerIdleNanos != OFF && s.backlog() == null;
        return quiet && nowNanos - (s.lastFrameOutNanos() + writerIdleNanos) >= 0 ? Verdict.KEEP_ALIVE : Verdict.KEEP;
    }

    private static Verdict judgeSilence(Watched s) {
        if (s.intervalMillis == 0) {
            return Verdict.CLOSE_READ_IDLE;
        }
        boolean asked = !s.policy().probe || s.probe() != null;
        return asked ? Verdict.CLOSE_HEARTBEAT : Verdict.PROBE;
    }

    private static long partialDeadlineNanos(Watched s) {
        LivenessPolicy policy = s.policy();
        Unfinished frame = s.unfinished();
        if (frame == null || policy.readProgressNanos == OFF || s.readingPaused()) {
            return NO_DEADLINE;
        }
        return frame.sinceNanos + policy.readProgressNanos + frame.bytes * policy.nanosPerByte;
    }

    private static long writeDeadlineNanos(Watched s) {
        Backlog backlog = s.backlog();
        long timeoutNanos = s.policy().writeProgressNanos;
        return backlog == null || timeoutNanos == OFF ? NO_DEADLINE : backlog.progressNanos + timeoutNanos;
    }

    private static long nextLookNanos(Watched s, Backlog backlog) {
        long timeoutNanos = s.policy().writeProgressNanos;
        return earlier(backlog.lookedNanos + timeoutNanos / 16, backlog.progressNanos + timeoutNanos);
    }

    private static boolean isPast(long deadlineNanos, long nowNanos) {
        return deadlineNanos != NO_DEADLINE && nowNanos - deadlineNanos >= 0;
    }
}
