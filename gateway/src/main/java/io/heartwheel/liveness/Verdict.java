package io.heartwheel.liveness;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.DeadlineKind;
import org.jspecify.annotations.Nullable;

/** Verdict on a connection at one instant, as {@link Liveness} gives it. */
public enum Verdict {
    /** Nothing is due. */
    KEEP(null, null),
    /** One interval of silence: ask. */
    PROBE(null, null),
    /** The gateway was silent for long: send a sign of life. */
    KEEP_ALIVE(null, null),
    /** The connection is old: GOAWAY. */
    SEND_AWAY(null, null),
    /** What the device was admitted with expires soon: it is told. */
    WARN_OF_EXPIRY(null, null),
    /** It has waited for its device id: it is claimed once more. */
    CLAIM_AGAIN(null, null),
    /** It has said its last words and waited long enough. */
    CUT(null, null),
    /** The peer was sent away and its time is up. */
    CLOSE_LEAVING(CloseReason.MAX_AGE, DeadlineKind.LEAVING),
    /** No HELLO or upgrade in time. */
    CLOSE_HANDSHAKE(CloseReason.HANDSHAKE_TIMEOUT, DeadlineKind.HANDSHAKE),
    /** Nobody has said in time whether the device may come in. */
    CLOSE_AUTHENTICATION(CloseReason.AUTH_UNAVAILABLE, DeadlineKind.AUTHENTICATION),
    /** The claim of the device id was not answered in time: our fault, not the peer's. */
    CLOSE_CLAIM(CloseReason.OVERLOADED, DeadlineKind.CLAIM),
    /** The promise was broken. */
    CLOSE_HEARTBEAT(CloseReason.HEARTBEAT_TIMEOUT, DeadlineKind.HEARTBEAT),
    /** Silent for the reader-idle time. */
    CLOSE_READ_IDLE(CloseReason.READ_IDLE, DeadlineKind.READER_IDLE),
    /** A frame begun was not finished. */
    CLOSE_READ_STALLED(CloseReason.READ_STALLED, DeadlineKind.READ_PROGRESS),
    /** Pending bytes did not move. */
    CLOSE_WRITE_STALLED(CloseReason.WRITE_STALLED, DeadlineKind.WRITE_PROGRESS),
    /** What the device was admitted with has expired. */
    CLOSE_EXPIRED(CloseReason.AUTH_EXPIRED, DeadlineKind.EXPIRY);

    private final @Nullable CloseReason reason;
    private final @Nullable DeadlineKind deadline;

    Verdict(@Nullable CloseReason reason, @Nullable DeadlineKind deadline) {
        this.reason = reason;
        this.deadline = deadline;
    }

    /** The reason of a closing verdict, else null. */
    public @Nullable CloseReason reason() {
        return reason;
    }

    /** The deadline behind a closing verdict, else null. */
    public @Nullable DeadlineKind deadline() {
        return deadline;
    }

    /** Whether it takes an established peer for dead or stuck: what the breaker counts and may hold back. */
    boolean findsTheDead() {
        return switch (this) {
            case CLOSE_HEARTBEAT, CLOSE_READ_IDLE, CLOSE_READ_STALLED, CLOSE_WRITE_STALLED -> true;
            default -> false;
        };
    }

    /** Whether the connection has to end. */
    public boolean closes() {
        return reason != null;
    }
}
