package io.heartwheel.metrics;

import java.util.List;

/** Values of the label {@code protocol}. Immutable; any thread. */
enum WireProtocol {
    /** Not yet, or never, established. */
    HANDSHAKE("handshake"),
    HEARTWHEEL("heartwheel"),
    HEARTWHEEL_V1("heartwheel.v1"),
    HEARTWHEEL_JSON_V1("heartwheel.json.v1"),
    PLAIN("plain"),
    /** A name that this catalogue does not know: a gap in it, but no reason to lose the count. */
    OTHER("other");

    static final List<WireProtocol> ALL = List.of(values());

    private final String label;

    WireProtocol(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Allocates nothing. */
    static WireProtocol of(String name) {
        return switch (name) {
            case "handshake" -> HANDSHAKE;
            case "heartwheel" -> HEARTWHEEL;
            case "heartwheel.v1" -> HEARTWHEEL_V1;
            case "heartwheel.json.v1" -> HEARTWHEEL_JSON_V1;
            case "plain" -> PLAIN;
            default -> OTHER;
        };
    }
}
