package io.heartwheel.transport;

import io.heartwheel.net.Networks;

/**
 * Limits of one source of connections. A source is an IPv4 address, or all IPv6 addresses that begin alike. Immutable; any thread.
 *
 * @param connections at once, 1..{@link TransportSettings#MAX_CONNECTIONS}
 * @param acceptsPerSecond in the long run, 1..{@link #MAX_RATE}
 * @param burst at once after a rest, 1..{@link #MAX_RATE}
 * @param exempt whose connections are not counted
 * @param v6PrefixBits leading bits of an IPv6 address that make a source, {@link #MIN_PREFIX}..{@link #MAX_PREFIX}
 * @param tracked about so many sources are told apart, {@link #MIN_TRACKED}..{@link #MAX_TRACKED}
 */
public record SourceSettings(
        int connections, int acceptsPerSecond, int burst, Networks exempt, int v6PrefixBits, int tracked) {
    /** Greatest rate, accepts a second. */
    public static final int MAX_RATE = 1_000_000;
    /** Shortest prefix, bits. */
    public static final int MIN_PREFIX = 32;
    /** Longest prefix, bits. */
    public static final int MAX_PREFIX = 64;
    /** Fewest sources. */
    public static final int MIN_TRACKED = 1 << 10;
    /** Most sources. */
    public static final int MAX_TRACKED = 1 << 24;

    /** @throws IllegalArgumentException naming what is out of range */
    public SourceSettings {
        inRange("connections", connections, 1, TransportSettings.MAX_CONNECTIONS);
        inRange("accepts-per-second", acceptsPerSecond, 1, MAX_RATE);
        inRange("burst", burst, 1, MAX_RATE);
        inRange("v6-prefix", v6PrefixBits, MIN_PREFIX, MAX_PREFIX);
        inRange("tracked", tracked, MIN_TRACKED, MAX_TRACKED);
    }

    private static void inRange(String key, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("source-limits." + key + " = " + value + ": need " + min + ".." + max);
        }
    }
}
