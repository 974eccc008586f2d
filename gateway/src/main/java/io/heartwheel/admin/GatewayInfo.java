package io.heartwheel.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Description of the running gateway. Immutable; any thread.
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
    public record Proxy(List<String> trusted) {
        /** Keeps a copy of the list. */
        public Proxy {
            trusted = List.copyOf(trusted);
        }
    }

    /**
     * Balancers that write where a request comes from.
     *
     * @param header they write it in, in lower case
     * @param trusted their networks, what others write is passed over
     */
    public record Forwarded(String header, List<String> trusted) {
        /** Keeps a copy of the list. */
        public Forwarded {
            trusted = List.copyOf(trusted);
        }
    }
}
