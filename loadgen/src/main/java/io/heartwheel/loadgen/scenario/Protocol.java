package io.heartwheel.loadgen.scenario;

import java.util.Locale;

/** The ways in. */
public enum Protocol {
    /** Heartwheel frames over TCP. */
    TCP,
    /** Heartwheel frames over WebSocket. */
    WS,
    /** WebSocket without subprotocol. */
    PLAIN,
    /** Scripted bytes over TCP, for other servers. */
    RAW,
    /** Scripted messages over WebSocket, for other servers. */
    RAW_WS;

    /** The name on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The protocol with this label.
     *
     * @throws IllegalArgumentException naming the accepted ones
     */
    public static Protocol of(String label) {
        for (Protocol protocol : values()) {
            if (protocol.label().equals(label)) {
                return protocol;
            }
        }
        throw new IllegalArgumentException(
                "protocol = " + label + ": need tcp, ws, plain, raw or raw-ws, with +tls or without");
    }
}
