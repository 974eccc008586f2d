package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;

/**
 * Violation of the protocol by a peer; its connection is closed with the reason. Carries no stack trace: a misbehaving peer costs a counter
 * and a reason.
 */
@SuppressWarnings("serial") // never serialised
public final class ProtocolViolation extends Exception {
    private final CloseReason reason;

    /** @param text for humans, at most 123 bytes of UTF-8, without bytes the peer chose; of a request that HTTP answers, a few hundred, made harmless */
    public ProtocolViolation(CloseReason reason, String text) {
        super(text, null, false, false);
        this.reason = reason;
    }

    /** The reason to close with. */
    public CloseReason reason() {
        return reason;
    }

    /** The same in words. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
