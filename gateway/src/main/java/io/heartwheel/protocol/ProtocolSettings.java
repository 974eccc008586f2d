package io.heartwheel.protocol;

import io.heartwheel.liveness.RateLimits;

/**
 * Settings of all protocols. Immutable; any thread.
 *
 * @param maxPayloadBytes largest DATA payload (without its id) or WebSocket message, {@link #MIN_PAYLOAD}..{@link #MAX_PAYLOAD}
 * @param limits how fast a connection may send
 */
public record ProtocolSettings(int maxPayloadBytes, RateLimits limits) {
    /** Least payload limit, bytes. */
    public static final int MIN_PAYLOAD = 128;
    /** Greatest payload limit, bytes. */
    public static final int MAX_PAYLOAD = 16 << 20;

    /** @throws IllegalArgumentException if the limit is out of range */
    public ProtocolSettings {
        if (maxPayloadBytes < MIN_PAYLOAD || maxPayloadBytes > MAX_PAYLOAD) {
            throw new IllegalArgumentException("protocol.max-payload = " + maxPayloadBytes + "B: need " + MIN_PAYLOAD
                    + "B.." + (MAX_PAYLOAD >> 20) + "MiB");
        }
    }
}
