package io.heartwheel.protocol.proxy;

/** Beginning of a connection on a listener that wants a PROXY header, as it went. Immutable; any thread. */
public enum ProxyOutcome {
    /** A header of version 1 with a source. */
    V1,
    /** A header of version 2 with a source. */
    V2,
    /** The balancer spoke for itself: a health check. */
    LOCAL,
    /** A header from where IP addresses mean nothing. */
    UNKNOWN,
    /** From a trusted source, but no header, or none that is right. */
    MALFORMED,
    /** From a trusted source, but its checksum is wrong: something on the way has changed the header. */
    CHECKSUM,
    /** From a source that is not trusted; nothing of it was read. */
    UNTRUSTED;

    /** Whether a header told where the connection comes from; else it comes from where its socket does. */
    boolean hasSource() {
        return this == V1 || this == V2;
    }
}
