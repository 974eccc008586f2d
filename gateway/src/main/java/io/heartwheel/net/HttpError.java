package io.heartwheel.net;

import org.jspecify.annotations.Nullable;

/** A request that is not served, and what its sender is told. Carries no stack trace: the fault is the sender's. */
public final class HttpError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_QUOTE = 64;

    private final int status;
    private final String code;
    private final @Nullable String allow;

    private HttpError(int status, String code, String text, @Nullable String allow) {
        super(text, null, false, false);
        this.status = status;
        this.code = code;
        this.allow = allow;
    }

    /**
     * @param status of RFC 9110 section 15, 400..599
     * @param code for programs
     * @param text for people
     */
    public HttpError(int status, String code, String text) {
        this(status, code, text, null);
    }

    /** 400 with the commonest code. */
    public static HttpError badRequest(String text) {
        return new HttpError(400, "bad_request", text);
    }

    /**
     * 405.
     *
     * @param allowed methods, for the header
     */
    public static HttpError method(String allowed) {
        return new HttpError(405, "method_not_allowed", "need one of " + allowed, allowed);
    }

    /** The sender's own words, shortened: enough to be recognised. */
    public static String quote(String words) {
        return words.length() <= LONGEST_QUOTE ? words : words.substring(0, LONGEST_QUOTE) + "...";
    }

    /** The status of the response, 400..599. */
    public int status() {
        return status;
    }

    /** What went wrong, for programs. */
    public String code() {
        return code;
    }

    /** What went wrong, for people. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** Methods for the header Allow; null unless the status is 405. */
    public @Nullable String allow() {
        return allow;
    }
}
