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
    /** A protocol that the scenario describes, over TCP. */
    FRAMED,
    /** Scripted bytes over TCP, for other servers. */
    RAW,
    /** Scripted messages over WebSocket, for other servers. */
    RAW_WS,
    /** MQTT 3.1.1. */
    MQTT,
    /** MQTT 5. */
    MQTT5;

    /** What a scenario may say. */
    static final String NEED = "tcp, ws, plain, framed, mqtt, mqtt5, raw or raw-ws, with +tls or without";

    /** The name on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
