package io.heartwheel.config;

import io.heartwheel.net.IpAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;

/** URLs of services that the gateway calls. Any thread. */
final class Urls {
    private Urls() {}

    /**
     * A URL, or nothing.
     *
     * @throws IllegalArgumentException if it is none that events can be sent to; its message does not show it
     */
    static URI http(String text) {
        URI url = URI.create(text);
        boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        boolean port = url.getPort() != 0 && url.getPort() <= 65_535;
        boolean good =
                http && port && url.getHost() != null && url.getRawUserInfo() == null && url.getRawFragment() == null;
        if (!good && !text.isEmpty()) {
            throw new IllegalArgumentException("no URL");
        }
        return url;
    }

    /**
     * A URL whose answer nobody on the way can change.
     *
     * @throws IllegalArgumentException if it is another one
     */
    static URI safe(String text) {
        URI url = http(text);
        if ("http".equals(url.getScheme()) && !isOfThisMachine(url)) {
            throw new IllegalArgumentException("not https");
        }
        return url;
    }

    /** Whether its host is a loopback address or {@code localhost}; no other name is looked up. */
    static boolean isOfThisMachine(URI url) {
        String host = url.getHost();
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        byte[] address = IpAddress.parse(bare);
        try {
            return bare.equalsIgnoreCase("localhost")
                    || (address != null && InetAddress.getByAddress(address).isLoopbackAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }
}
