package io.heartwheel.history;

/**
 * Settings of the evidence: how many closes are remembered, and how many refusals become events. Immutable; any thread.
 *
 * @param closes of connections that were established, {@link #MIN}..{@link #MAX}
 * @param handshakes of connections that never were, {@link #MIN}..{@link #MAX}
 * @param refusalEvents events of refused connections a second for each reason, {@link #MIN}..{@link #MAX_REFUSAL_EVENTS}
 */
public record EvidenceSettings(int closes, int handshakes, int refusalEvents) {
    /** None are remembered. */
    public static final int MIN = 0;
    /** Most that may be. */
    public static final int MAX = 1_000_000;

    /** Most refusals of a reason that may become events in a second. */
    public static final int MAX_REFUSAL_EVENTS = 1_000;

    /** The settings of the reference configuration. */
    public static final EvidenceSettings DEFAULTS = new EvidenceSettings(10_000, 1_000, 10);

    /** @throws IllegalArgumentException naming what is out of range */
    public EvidenceSettings {
        inRange("closes", closes, MAX);
        inRange("handshakes", handshakes, MAX);
        inRange("refusal-events", refusalEvents, MAX_REFUSAL_EVENTS);
    }

    private static void inRange(String name, int value, int max) {
        if (value < MIN || value > max) {
            throw new IllegalArgumentException("evidence." + name + " = " + value + ": need " + MIN + ".." + max);
        }
    }
}
