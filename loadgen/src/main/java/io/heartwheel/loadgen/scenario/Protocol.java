package io.heartwheel.loadgen.scenario;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    private static final String NEED = "tcp, ws, plain, framed, mqtt, mqtt5, raw or raw-ws, with +tls or without";

    private static final Map<String, Protocol> LABELS =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Protocol::label, Function.identity()));

    /** The one of this name; empty when there is none. */
    static Optional<Protocol> of(String label) {
        return Optional.ofNullable(LABELS.get(label));
    }

    /** What is needed instead of such a name. */
    static String need(String label) {
        return "need " + NEED + Spelling.hint(label, LABELS.keySet());
    }

    /** Whether what its servers do about silence is part of it. */
    boolean promises() {
        return switch (this) {
            case TCP, WS, MQTT, MQTT5 -> true;
            case PLAIN, FRAMED, RAW, RAW_WS -> false;
        };
    }

    /** Whether a device can acknowledge what is pushed to it. */
    public boolean acknowledgesPushes() {
        return this == TCP || this == WS;
    }

    /** Name of the gateway's listener for it. */
    public String listener() {
        return this == TCP ? "tcp" : "websocket";
    }

    /** The name on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
