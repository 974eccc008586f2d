package io.heartwheel.admin;

import java.util.List;

/**
 * What the gateway says of itself. Immutable; any thread.
 *
 * @param version of the gateway
 * @param uptimeMillis since start, milliseconds
 * @param transport {@code epoll}, {@code io_uring} or {@code nio}
 * @param eventLoops threads that carry bytes
 * @param listeners where devices connect
 * @param connections open now, handshakes among them
 * @param connectionsLimit there may be
 */
public record GatewayInfo(
        String version,
        long uptimeMillis,
        String transport,
        int eventLoops,
        List<Listener> listeners,
        int connections,
        int connectionsLimit) {

    /** Keeps a copy of the list. */
    public GatewayInfo {
        listeners = List.copyOf(listeners);
    }

    /**
     * One place where devices connect.
     *
     * @param name the operator's name for it
     * @param protocol {@code heartwheel}, {@code websocket} or {@code auto}
     * @param tls whether it speaks TLS
     * @param address bound, {@code host:port}
     */
    public record Listener(String name, String protocol, boolean tls, String address) {}
}
