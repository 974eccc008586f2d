package io.heartwheel.liveness;

/** Place of a connection in its life: says which deadlines run. */
public enum ConnectionState {
    /** Accepted, no valid HELLO or upgrade yet. */
    HANDSHAKE,
    /** Whether the device may come in is being decided. */
    AUTHENTICATING,
    /** The device id is being claimed. */
    CLAIMING,
    /** The device is there. */
    ESTABLISHED,
    /** GOAWAY was sent. */
    LEAVING,
    /** The end; nothing follows. */
    CLOSED
}
