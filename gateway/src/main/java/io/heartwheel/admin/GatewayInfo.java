package io.heartwheel.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Description of the running gateway: the form of {@code GET /v1/gateway}. Immutable, its lists are not copied; any thread.
 *
 * @param version of the gateway
 * @param uptimeMs since start, milliseconds
 * @param transport {@code epoll}, {@code io_uring} or {@code nio}
 * @param eventLoops threads that carry bytes
 * @param ready whether it takes devices
 * @param listeners where devices connect
 */
public record GatewayInfo(
        String version,
        long uptimeMs,
        String transport,
        int eventLoops,
        boolean ready,
        List<Listener> listeners,
        Connections connections) {

    /**
     * Counts of connections and devices.
     *
     * @param open now, handshakes among them
     * @param limit there may be
     * @param devices established
     */
    public record Connections(int open, int limit, long devices) {}

    /**
     * One place where devices connect.
     *
     * @param name the operator's name for it
     * @param protocol {@code heartwheel}, {@code websocket} or {@code auto}
     * @param tls whether it speaks TLS
     * @param address bound, {@code host:port}
     * @param proxy whose PROXY header each connection must begin with; null: there must be none
     * @param forwarded who may write where a request comes from; null: nobody, or there are no requests
     */
    public record Listener(
            String name,
            String protocol,
            boolean tls,
            String address,
            @Nullable Proxy proxy,
            @Nullable Forwarded forwarded) {}

    /**
     * Balancers that send a PROXY header.
     *
     * @param trusted their networks, nobody else is let in
     */
    public record Proxy(List<String> trusted) {}

    /**
     * Balancers that write where a request comes from.
     *
     * @param header they write it in, in lower case
     * @param trusted their networks, what others write is passed over
     */
    public record Forwarded(String header, List<String> trusted) {}
}
