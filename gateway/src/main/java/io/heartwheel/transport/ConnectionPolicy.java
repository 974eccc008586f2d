package io.heartwheel.transport;

import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.AuthPolicy;

/**
 * Settings of a connection from its accept to its end. Exchanged as a whole, so that each connection has those of one moment. Immutable; any
 * thread.
 *
 * @param policy its deadlines
 * @param auth who may come in
 * @param protocol what holds for every protocol
 * @param webSocket what a WebSocket request must look like
 */
public record ConnectionPolicy(
        LivenessPolicy policy, AuthPolicy auth, ProtocolSettings protocol, WebSocketSettings webSocket) {}
