package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import org.jspecify.annotations.Nullable;

/** Deadlines that can be due for a connection, as in the protocol document. */
enum Due {
    HANDSHAKE(CloseReason.HANDSHAKE_TIMEOUT),
    AUTHENTICATION(CloseReason.AUTH_UNAVAILABLE),
    CLAIM(CloseReason.OVERLOADED),
    READ_PROGRESS(CloseReason.READ_STALLED),
    WRITE_PROGRESS(CloseReason.WRITE_STALLED),
    PROBE(null),
    HEARTBEAT(CloseReason.HEARTBEAT_TIMEOUT),
    READER_IDLE(CloseReason.READ_IDLE),
    SEND_AWAY(null),
    LEAVING(CloseReason.MAX_AGE),
    KEEP_ALIVE(null),
    WARNING(null),
    EXPIRY(CloseReason.AUTH_EXPIRED),
    CUT(null);

    private static final Due[] ALL = values();

    /** How a connection ends that lets this pass; null if it does not end by it. */
    final @Nullable CloseReason reason;

    Due(@Nullable CloseReason reason) {
        this.reason = reason;
    }

    /** Whether who lets it pass is taken for dead or stuck: what a breaker may hold back. */
    boolean isDeath() {
        return this == READ_PROGRESS || this == WRITE_PROGRESS || this == HEARTBEAT || this == READER_IDLE;
    }

    static Due[] all() {
        return ALL;
    }

    /** The deadline that a reason speaks of, null if the reason is nobody's deadline. */
    static @Nullable Due behind(CloseReason reason) {
        for (Due due : ALL) {
            if (due.reason == reason) {
                return due;
            }
        }
        return null;
    }
}
