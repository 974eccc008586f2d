package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;

/** Refusal of a token, with its cause. Has no stack trace: whoever sends bad tokens costs us no more than that. */
final class TokenRefused extends Exception {
    private static final long serialVersionUID = 1;

    private final AuthCause cause;

    /** @param detail for the operator; no part of the token */
    TokenRefused(AuthCause cause, String detail) {
        super(detail, null, false, false);
        this.cause = cause;
    }

    static TokenRefused malformed(String detail) {
        return new TokenRefused(AuthCause.MALFORMED, detail);
    }

    AuthResult result() {
        return new AuthResult.Refused(cause, String.valueOf(getMessage()));
    }
}
