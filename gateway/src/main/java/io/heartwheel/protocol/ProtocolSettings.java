package io.heartwheel.protocol;

import io.heartwheel.liveness.RateClasses;

/**
 * Settings of all protocols. Immutable; any thread.
 *
 * @param maxPayloadBytes largest DATA payload (without its id) or WebSocket message
 * @param limits how fast a connection may send, by rate class
 */
public record ProtocolSettings(int maxPayloadBytes, RateClasses limits) {}
