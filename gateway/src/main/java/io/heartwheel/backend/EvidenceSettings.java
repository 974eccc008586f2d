package io.heartwheel.backend;

/**
 * How many closes are remembered with all that was known of them. Immutable; any thread.
 *
 * @param closes of connections that were established, {@link #MIN}..{@link #MAX}
 * @param handshakes of connections that never were, {@link #MIN}..{@link #MAX}
 */
public record EvidenceSettings(int closes, int handshakes) {
    /** None are remembered. */
    public static final int MIN = 0;
    /** Most that may be. */
    public static final int MAX = 1_000_000;

    /** The settings of the reference configuration. */
    public static final EvidenceSettings DEFAULTS = new EvidenceSettings(10_000, 1_000);

    /** @throws IllegalArgumentException naming what is out of range */
    public EvidenceSettings {
        inRange("closes", closes);
        inRange("handshakes", handshakes);
    }

    private static void inRange(String name, int value) {
        if (value < MIN || value > MAX) {
            throw new IllegalArgumentException("evidence." + name + " = " + value + ": need " + MIN + ".." + MAX);
        }
    }
}
