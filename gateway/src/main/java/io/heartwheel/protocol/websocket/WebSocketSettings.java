package io.heartwheel.protocol.websocket;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Requirements on WebSocket requests. Immutable; any thread.
 *
 * @param path request path, with a leading and no trailing slash
 * @param health request path of health checks, {@code /} or as above; null: none is answered
 * @param hosts accepted Host headers in lower case, without port; empty: any
 * @param origins accepted Origin headers, {@code *} for any; empty: that of the host itself
 * @param maxRequestBytes request line and headers together
 * @param compression whether permessage-deflate is negotiated
 * @param forwarded who may write where a request comes from; null: nobody
 */
public record WebSocketSettings(
        String path,
        @Nullable String health,
        List<String> hosts,
        List<String> origins,
        int maxRequestBytes,
        boolean compression,
        @Nullable ForwardedSettings forwarded) {
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~!$&'()*+,;=:@-]+)+");
    private static final Pattern HOST = Pattern.compile("[a-z0-9._-]+|\\[[0-9a-f:.]+]");
    private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^/\\s]+|file://|null|\\*");

    /** Copies the lists, and brings the origins into one form. */
    public WebSocketSettings {
        hosts = List.copyOf(hosts);
        origins = origins.stream().map(PageOrigin::canonical).toList();
    }

    /** Whether this can be the request path: segments of RFC 3986 section 3.3, not percent-encoded. */
    public static boolean isPath(String path) {
        return PATH.matcher(path).matches();
    }

    /** Whether this can be the path of health checks. */
    public static boolean isHealth(String path) {
        return path.equals("/") || isPath(path);
    }

    /** Whether this can be a Host header without its port: lower case, IPv6 in brackets. */
    public static boolean isHost(String host) {
        return HOST.matcher(host).matches();
    }

    /** Whether a browser can send this as Origin (RFC 6454 section 7): scheme, host, perhaps a port, no path; or it stands for all of them. */
    public static boolean isOrigin(String origin) {
        return ORIGIN.matcher(origin).matches();
    }
}
