package io.heartwheel.auth.http;

/** State of a circuit breaker. */
public enum BreakerState {
    /** The service is asked. */
    CLOSED,
    /** It has failed and is left alone. */
    OPEN,
    /** One call finds out whether it is back. */
    HALF_OPEN
}
