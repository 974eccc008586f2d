package io.heartwheel.transport;

import io.heartwheel.net.Networks;

/**
 * Limits of one source of connections. A source is an IPv4 address, or all IPv6 addresses that begin alike. Immutable; any thread.
 *
 * @param connections at once
 * @param acceptsPerSecond in the long run
 * @param burst at once after a rest
 * @param exempt whose connections are not counted
 * @param v6PrefixBits leading bits of an IPv6 address that make a source, at most 64
 * @param tracked about so many sources are told apart
 */
public record SourceSettings(
        int connections, int acceptsPerSecond, int burst, Networks exempt, int v6PrefixBits, int tracked) {}
