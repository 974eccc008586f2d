package io.heartwheel.event;

/** The deadlines that can end a connection, by the name of the configuration block that sets them. */
public enum DeadlineKind {
    /** From accept to a valid HELLO or upgrade. */
    HANDSHAKE("handshake"),
    /** Whether the device may come in must be known in time: counts from accept like the handshake, but a miss is not the device's. */
    AUTHENTICATION("authentication"),
    /** The directory must answer a claim in time: counts from accept like the handshake, but a miss is ours. */
    CLAIM("claim"),
    /** The promise of the device. */
    HEARTBEAT("heartbeat"),
    /** Plain silence. */
    READER_IDLE("reader-idle"),
    /** A frame begun must be finished. */
    READ_PROGRESS("read-progress"),
    /** Pending bytes must move. */
    WRITE_PROGRESS("write-progress"),
    /** The greatest age. */
    AGE("age"),
    /** A peer that was sent away must go. */
    LEAVING("leaving"),
    /** What the device was admitted with expires. */
    EXPIRY("expiry");

    private final String label;

    DeadlineKind(String label) {
        this.label = label;
    }

    /** Lower-case name in configuration, metrics and evidence. */
    public String label() {
        return label;
    }
}
