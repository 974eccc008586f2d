package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;

/** Outcome of one call. Immutable; any thread. */
sealed interface HookOutcome {
    /** It is not said for how long the answer may be kept. */
    long NOT_SAID = -1;

    /**
     * The service has decided.
     *
     * @param result admitted or refused
     * @param cacheSeconds for how long the answer may be kept, or {@link #NOT_SAID}
     */
    record Decided(AuthResult result, long cacheSeconds) implements HookOutcome {}

    /**
     * It has not.
     *
     * @param cause TIMEOUT or OUTAGE
     * @param detail for the operator
     * @param malformed whether there was an answer that needs the operator: it made no sense, or is about the gateway
     * @param retryAfterMillis how long the service wants to be left alone, or {@link #NOT_SAID}
     */
    record Failed(AuthCause cause, String detail, boolean malformed, long retryAfterMillis) implements HookOutcome {
        /** No answer, or one that says nothing. */
        static Failed of(AuthCause cause, String detail) {
            return new Failed(cause, detail, false, NOT_SAID);
        }

        /** An answer that needs the operator. */
        static Failed malformed(String detail) {
            return new Failed(AuthCause.OUTAGE, detail, true, NOT_SAID);
        }
    }
}
