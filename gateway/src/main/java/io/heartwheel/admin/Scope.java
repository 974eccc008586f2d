package io.heartwheel.admin;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Scope of a route: what a caller must be allowed to do. None contains another. */
public enum Scope {
    /** Nothing: everybody may ask. */
    NONE,
    /** To look at devices, closes, figures. */
    READ,
    /** To send messages to devices. */
    SEND,
    /** To change what the gateway does: reload, drain, close devices, steer outlets. */
    OPERATE;

    /** As it is written in files and answers. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scope that a caller can have by this label; empty if there is none. */
    public static Optional<Scope> ofLabel(String label) {
        return Stream.of(READ, SEND, OPERATE)
                .filter(scope -> scope.label().equals(label))
                .findFirst();
    }
}
