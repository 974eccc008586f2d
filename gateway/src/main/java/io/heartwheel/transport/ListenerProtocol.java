package io.heartwheel.transport;

/** Protocol of a listener: {@code listeners.NAME.protocol}. Immutable; any thread. */
public enum ListenerProtocol {
    /** Heartwheel frames straight over TCP or TLS. */
    HEARTWHEEL,
    /** WebSocket, with the subprotocol or plain. */
    WEBSOCKET,
    /** Whichever of the two the first bytes show. */
    AUTO
}
