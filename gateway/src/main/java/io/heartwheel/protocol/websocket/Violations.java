package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ProtocolViolation;

/** Violations of RFC 6455 and RFC 7692, with their close reasons. Any thread. */
final class Violations {
    private Violations() {}

    static ProtocolViolation malformed(String how) {
        return new ProtocolViolation(CloseReason.MALFORMED, "WebSocket: " + how);
    }

    static ProtocolViolation tooLarge(int mostBytes) {
        return new ProtocolViolation(
                CloseReason.TOO_LARGE, "WebSocket: a message of more than " + mostBytes + " bytes");
    }

    static ProtocolViolation badText() {
        return new ProtocolViolation(CloseReason.BAD_UTF8, "a text message is not UTF-8");
    }
}
