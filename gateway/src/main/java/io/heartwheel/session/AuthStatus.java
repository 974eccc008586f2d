package io.heartwheel.session;

/** Status that the gateway tells a device about what it was admitted with; section 3 of the protocol document. */
public enum AuthStatus {
    /** The newer token is good. */
    ACCEPTED,
    /** The present one expires soon. */
    EXPIRING,
    /** The newer one is not good; the present one stays in force. */
    REFUSED,
    /** Nobody could say now. */
    UNAVAILABLE;

    /** The number on the wire, 0..3. */
    public int wireCode() {
        return ordinal();
    }
}
