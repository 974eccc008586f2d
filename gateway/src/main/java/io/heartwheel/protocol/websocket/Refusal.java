package io.heartwheel.protocol.websocket;

import io.netty.handler.codec.http.HttpResponseStatus;

/** A request that is no proper upgrade, and the HTTP status that says so. Carries no stack trace. */
@SuppressWarnings("serial") // never serialised
final class Refusal extends Exception {
    private final HttpResponseStatus status;

    /** @param text for humans, without bytes the peer chose */
    Refusal(HttpResponseStatus status, String text) {
        super(text, null, false, false);
        this.status = status;
    }

    static Refusal badRequest(String text) {
        return new Refusal(HttpResponseStatus.BAD_REQUEST, text);
    }

    HttpResponseStatus status() {
        return status;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
