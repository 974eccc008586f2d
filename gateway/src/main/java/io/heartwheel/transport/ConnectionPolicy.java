package io.heartwheel.transport;

import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.Credentials;

/**
 * Settings of a connection from its accept to its end. Exchanged as a whole, so that each connection has those of one moment. Immutable; any
 * thread.
 *
 * @param policy its deadlines
 * @param credentials who may come in
 * @param protocol what holds for every protocol
 * @param webSocket what a WebSocket request must look like
 */
public record ConnectionPolicy(
        LivenessPolicy policy, Credentials credentials, ProtocolSettings protocol, WebSocketSettings webSocket) {}
