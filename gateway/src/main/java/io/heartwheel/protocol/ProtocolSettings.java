package io.heartwheel.protocol;

import io.heartwheel.liveness.RateLimits;

/**
 * Settings of all protocols. Immutable; any thread.
 *
 * @param maxPayloadBytes largest DATA payload (without its id) or WebSocket message
 * @param limits how fast a connection may send
 */
public record ProtocolSettings(int maxPayloadBytes, RateLimits limits) {}
