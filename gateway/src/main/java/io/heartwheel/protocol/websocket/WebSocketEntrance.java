package io.heartwheel.protocol.websocket;

import io.heartwheel.session.LoopScope;
import io.netty.channel.Channel;

/** Assembles the handshake part of a WebSocket pipeline. */
public final class WebSocketEntrance {
    private WebSocketEntrance() {}

    /** Installs the handshake on a fresh channel; on its loop. */
    public static void install(
            Channel channel,
            LoopScope scope,
            int maxPayloadBytes,
            WebSocketSettings settings,
            long sessionId,
            long acceptedNanos) {
        channel.close();
    }
}
