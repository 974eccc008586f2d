package io.heartwheel.auth.http;

/** Answer to a device while the service cannot be asked. */
public enum OnOutage {
    /** To come back later. */
    LATER,
    /** What the service has said of it lately, if that was good; else to come back later. */
    CACHED,
    /** Welcome, for some time: everybody comes in. Only while the circuit breaker is open. */
    ADMIT
}
