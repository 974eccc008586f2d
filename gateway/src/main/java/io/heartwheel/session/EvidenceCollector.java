package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Evidence.Limit;
import io.heartwheel.event.Evidence.Timing;
import io.heartwheel.event.Evidence.Traffic;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.Liveness;
import io.heartwheel.liveness.Verdict;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Collector of the {@link Evidence} of one session, before anything of it is cleared away. Loop of the session only; a few microseconds, most of them the
 * kernel's.
 */
final class EvidenceCollector {
    /** Protocol of a connection that never was established. */
    static final String HANDSHAKE = "handshake";

    private final Session session;
    private final long nowNanos;

    EvidenceCollector(Session session, long nowNanos) {
        this.session = session;
        this.nowNanos = nowNanos;
    }

    Evidence atClose(CloseReason reason, String cause, CloseContext closeContext) {
        Verdict verdict = closeContext.verdict();
        return gather(reason, cause, verdict == null ? null : verdict.deadline(), closeContext);
    }

    Evidence asItStands() {
        return gather(null, "", session.state() == ConnectionState.CLOSED ? null : nextToClose(), CloseContext.NONE);
    }

    private Evidence gather(
            @Nullable CloseReason reason, String cause, @Nullable DeadlineKind kind, CloseContext closeContext) {
        boolean established = session.isEstablished();
        return new Evidence(
                established ? session.identity() : new ConnectionEvent.Identity("", session.sessionId(), 0),
                established ? "" : session.deviceId(),
                established ? session.protocolName() : HANDSHAKE,
                session.remote(),
                session.via(),
                session.clientName(),
                established,
                session.sessionContext().wallMillis().getAsLong(),
                millisSince(session.openedNanos()),
                reason,
                cause,
                closeContext.peerClose(),
                closeContext.certificate(),
                kind == null ? null : limit(kind),
                traffic(),
                session.probes(nowNanos),
                session.path(),
                timing(kind),
                closeContext.successorSessionId(),
                closeContext.successorNode());
    }

    /** The deadline that comes first; null if none runs. */
    private @Nullable DeadlineKind nextToClose() {
        DeadlineKind first = null;
        long earliest = NO_DEADLINE;
        for (DeadlineKind kind : DeadlineKind.values()) {
            long deadlineNanos = applies(kind) ? Liveness.deadlineNanos(session, kind) : NO_DEADLINE;
            if (deadlineNanos != NO_DEADLINE && Liveness.earlier(deadlineNanos, earliest) == deadlineNanos) {
                earliest = deadlineNanos;
                first = kind;
            }
        }
        return first;
    }

    private boolean applies(DeadlineKind kind) {
        return switch (kind) {
            case AUTHENTICATION -> session.state() == ConnectionState.AUTHENTICATING;
            case CLAIM -> session.state() == ConnectionState.CLAIMING;
            case HANDSHAKE -> session.state() == ConnectionState.HANDSHAKE;
            case LEAVING -> session.state() == ConnectionState.LEAVING;
            case AGE -> session.state() == ConnectionState.ESTABLISHED;
            default -> true;
        };
    }

    private Limit limit(DeadlineKind kind) {
        boolean heartbeat = kind == DeadlineKind.HEARTBEAT;
        long dueNanos = session.closeNanos(kind) - nowNanos;
        return new Limit(
                kind,
                origin(kind),
                timeoutMillis(kind),
                heartbeat ? session.intervalMillis() : 0,
                heartbeat ? session.policy().graceHundredths() : 0,
                Math.floorDiv(dueNanos, 1_000_000L));
    }

    private DeadlineOrigin origin(DeadlineKind kind) {
        return switch (kind) {
            case HEARTBEAT -> session.intervalOrigin();
            case LEAVING -> DeadlineOrigin.SENT_AWAY;
            case EXPIRY -> DeadlineOrigin.GRANTED;
            case AUTHENTICATION, CLAIM -> session.policy().originOf(DeadlineKind.HANDSHAKE);
            default -> session.policy().originOf(kind);
        };
    }

    private long timeoutMillis(DeadlineKind kind) {
        if (kind == DeadlineKind.EXPIRY) {
            return millis(session.closeNanos(kind) - session.openedNanos());
        }
        return millis(session.policy().timeoutNanos(kind, session.intervalMillis(), session.sessionId()));
    }

    private Traffic traffic() {
        long lastFrameNanos = session.lastFrameInNanos();
        boolean came = session.lastTypeIn() != 0;
        return new Traffic(
                came || session.isUnfinished() ? millisSince(session.lastByteNanos()) : Evidence.NEVER,
                came ? millisSince(lastFrameNanos) : Evidence.NEVER,
                frameName(session.lastTypeIn()),
                session.lastTypeOut() == 0 ? Evidence.NEVER : millisSince(session.lastFrameOutNanos()),
                frameName(session.lastTypeOut()),
                session.pendingBytes(),
                session.unfinishedBytes(),
                session.pausedBy());
    }

    private String frameName(int type) {
        return type == 0 ? "" : session.frameName(type);
    }

    private Timing timing(@Nullable DeadlineKind kind) {
        long loopLagMillis = millis(session.sessionContext().stats().lag().lastNanos());
        long actualTick = session.sessionContext().wheel().tickOf(nowNanos);
        long silentMicros = TimeUnit.NANOSECONDS.toMicros(Math.max(0, nowNanos - session.heardNanos()));
        if (kind == null) {
            return new Timing(silentMicros, 0, 0, loopLagMillis, 0, actualTick, false);
        }
        long effectiveNanos = session.closeNanos(kind);
        long creditNanos = Liveness.deadlineNanos(session, kind) - Liveness.uncreditedNanos(session, kind);
        return new Timing(
                silentMicros,
                TimeUnit.NANOSECONDS.toMicros(Math.max(0, nowNanos - effectiveNanos)),
                millis(creditNanos),
                loopLagMillis,
                session.sessionContext().wheel().tickOf(effectiveNanos),
                actualTick,
                session.isSuspect());
    }

    private long millisSince(long thenNanos) {
        return millis(Math.max(0, nowNanos - thenNanos));
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
