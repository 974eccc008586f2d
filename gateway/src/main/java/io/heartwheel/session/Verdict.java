package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import org.jspecify.annotations.Nullable;

/** What {@link Liveness} says of a session at one instant. */
public enum Verdict {
    /** Nothing is due. */
    KEEP(null),
    /** One interval of silence: ask. */
    PROBE(null),
    /** The gateway was silent for long: send a sign of life. */
    KEEP_ALIVE(null),
    /** The connection is old: GOAWAY. */
    SEND_AWAY(null),
    /** It has said its last words and waited long enough. */
    CUT(null),
    /** The peer was sent away and its time is up. */
    CLOSE_LEAVING(CloseReason.MAX_AGE),
    /** No HELLO or upgrade in time. */
    CLOSE_HANDSHAKE(CloseReason.HANDSHAKE_TIMEOUT),
    /** The claim of the device id was not answered in time: our fault, not the peer's. */
    CLOSE_CLAIM(CloseReason.OVERLOADED),
    /** The promise was broken. */
    CLOSE_HEARTBEAT(CloseReason.HEARTBEAT_TIMEOUT),
    /** Silent for the reader-idle time. */
    CLOSE_READ_IDLE(CloseReason.READ_IDLE),
    /** A frame begun was not finished. */
    CLOSE_READ_STALLED(CloseReason.READ_STALLED),
    /** Pending bytes did not move. */
    CLOSE_WRITE_STALLED(CloseReason.WRITE_STALLED);

    private final @Nullable CloseReason reason;

    Verdict(@Nullable CloseReason reason) {
        this.reason = reason;
    }

    /** The reason of a closing verdict, else null. */
    public @Nullable CloseReason reason() {
        return reason;
    }

    /** Whether the connection has to end. */
    public boolean closes() {
        return reason != null;
    }
}
