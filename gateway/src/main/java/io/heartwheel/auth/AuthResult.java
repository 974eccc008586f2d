package io.heartwheel.auth;

import org.jspecify.annotations.Nullable;

/** Result of an authentication. Immutable; any thread. */
public sealed interface AuthResult {
    /** Admits for good and without anything special. */
    AuthResult ADMITTED = new Admitted(null, Admitted.NEVER);

    /** This method knows nothing of the device or of its kind of token: the next one is asked. */
    AuthResult NOT_MINE = new NotMine();

    /**
     * May come in.
     *
     * @param grant what it is allowed; null for nothing special
     * @param expiresAtMillis closed then, milliseconds since 1970; {@link #NEVER}
     */
    record Admitted(@Nullable Grant grant, long expiresAtMillis) implements AuthResult {
        /** It does not expire. */
        public static final long NEVER = Long.MAX_VALUE;
    }

    /**
     * May not come in.
     *
     * @param cause for metrics and evidence
     * @param detail for the operator, may be empty; never the token or a part of it, no more than 200 characters
     */
    record Refused(AuthCause cause, String detail) implements AuthResult {}

    /**
     * Nobody can say now: come back later.
     *
     * @param cause for metrics and evidence
     * @param detail for the operator, may be empty
     */
    record Unavailable(AuthCause cause, String detail) implements AuthResult {}

    /** As {@link #NOT_MINE}. */
    record NotMine() implements AuthResult {}
}
