package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.netty.handler.codec.http.HttpResponseStatus;

/** A request that is no proper upgrade, and the HTTP status that says so. Carries no stack trace. */
@SuppressWarnings("serial") // never serialised
final class UpgradeError extends Exception {
    private final HttpResponseStatus status;
    private final CloseReason reason;

    /** @param text for humans, without bytes the peer chose */
    UpgradeError(HttpResponseStatus status, String text) {
        this(status, CloseReason.BAD_HTTP, text);
    }

    /** @param text for humans, without bytes the peer chose */
    UpgradeError(HttpResponseStatus status, CloseReason reason, String text) {
        super(text, null, false, false);
        this.status = status;
        this.reason = reason;
    }

    static UpgradeError badRequest(String text) {
        return new UpgradeError(HttpResponseStatus.BAD_REQUEST, text);
    }

    HttpResponseStatus status() {
        return status;
    }

    /** What it is counted as. */
    CloseReason reason() {
        return reason;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
