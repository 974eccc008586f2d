package io.heartwheel.event;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Kind of an event, as consumers know it. The list is closed; numbers and labels never change. */
public enum EventKind {
    /** A device was welcomed. */
    CONNECTED(1, "connected"),
    /** A device sent a message. */
    DATA(2, "data"),
    /** An established connection has ended, and no newer one of this process took its place. */
    DISCONNECTED(3, "disconnected"),
    /** A connection was refused before it was a device. */
    REFUSED(4, "refused"),
    /** A mass expiry begins or ends. */
    INCIDENT(5, "incident"),
    /** Events are missing. */
    GAP(6, "gap"),
    /** An established connection has ended because a newer one has its device id. */
    TAKEN_OVER(7, "taken-over"),
    /** A device is silent beyond its deadline in a mass expiry, and is asked before it is closed. */
    SUSPECT(8, "suspect"),
    /** A suspect proved alive. */
    RECOVERED(9, "recovered"),
    /** The gateway has started. */
    INCARNATION(10, "incarnation"),
    /** A device is connected now: one of a snapshot. */
    PRESENT(11, "present"),
    /** A snapshot begins or ends. */
    SNAPSHOT(12, "snapshot"),
    /** Two connections take one device id from each other again and again. */
    ID_CONFLICT(13, "id-conflict"),
    /** Another gateway of the fleet is lost. */
    NODE_DOWN(14, "node-down");

    private static final List<EventKind> ALL = List.of(values());

    private final int number;
    private final String label;

    EventKind(int number, String label) {
        this.number = number;
        this.label = label;
    }

    /** As it stands in the store, 1..255. */
    public int number() {
        return number;
    }

    /** As it stands in events. */
    public String label() {
        return label;
    }

    /** All of them. */
    public static List<EventKind> all() {
        return ALL;
    }

    /** The one of this number; empty for one that a later version may have written. */
    public static Optional<EventKind> of(int number) {
        return number >= 1 && number <= ALL.size() ? Optional.of(ALL.get(number - 1)) : Optional.empty();
    }

    /** The one of this label. */
    public static Optional<EventKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
    }
}
