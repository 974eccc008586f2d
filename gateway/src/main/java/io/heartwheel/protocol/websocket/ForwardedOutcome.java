package io.heartwheel.protocol.websocket;

/** Word of a request on its origin. Immutable; any thread. */
public enum ForwardedOutcome {
    /** A trusted balancer told it. */
    TAKEN,
    /** A trusted balancer did not tell it. */
    ABSENT,
    /** A trusted balancer told that it does not know it, or hides it. */
    UNKNOWN,
    /** A trusted balancer told it in a way that means nothing; the request was refused. */
    MALFORMED,
    /** Somebody else told it; passed over. */
    UNTRUSTED
}
