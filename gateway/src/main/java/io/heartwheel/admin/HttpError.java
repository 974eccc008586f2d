package io.heartwheel.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;

/** A request that is not served, and what its sender is told. Carries no stack trace: the fault is the sender's. */
final class HttpError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_QUOTE = 64;

    private final transient Response answer;

    private HttpError(Response answer, String message) {
        super(message, null, false, false);
        this.answer = answer;
    }

    HttpError(HttpResponseStatus status, String code, String message) {
        this(Response.error(status, code, message), message);
    }

    /** 400 with the commonest code. */
    static HttpError badRequest(String message) {
        return new HttpError(HttpResponseStatus.BAD_REQUEST, "bad_request", message);
    }

    /**
     * 405.
     *
     * @param allowed for the header
     */
    static HttpError method(String allowed) {
        String message = "need one of " + allowed;
        Response answer = Response.error(HttpResponseStatus.METHOD_NOT_ALLOWED, "method_not_allowed", message);
        return new HttpError(answer.with(HttpHeaderNames.ALLOW, allowed), message);
    }

    /** The sender's own words, no longer than they need be to be found again. */
    static String quote(String words) {
        return words.length() <= LONGEST_QUOTE ? words : words.substring(0, LONGEST_QUOTE) + "...";
    }

    Response answer() {
        return answer;
    }
}
