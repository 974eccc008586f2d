package io.heartwheel.transport;

import io.heartwheel.protocol.proxy.ProxyCounts;
import io.heartwheel.protocol.websocket.ForwardedCounts;

/**
 * What was told of the origin of connections, by all listeners together. Any thread.
 *
 * @param headers PROXY headers
 * @param requests WebSocket requests
 */
public record OriginCounts(ProxyCounts headers, ForwardedCounts requests) {
    OriginCounts() {
        this(new ProxyCounts(), new ForwardedCounts());
    }
}
