package io.heartwheel.protocol.websocket;

import io.heartwheel.net.IpAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Peer of one balancer, as the balancer tells it.
 *
 * @param address 4 or 16 bytes; of no length if the balancer does not say
 * @param port 0 if the balancer does not say
 * @param host the Host it was asked for; null if the balancer does not say
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record ForwardedHop(byte[] address, int port, @Nullable String host) {
    /** A balancer that does not say whom it saw. */
    static final ForwardedHop UNNAMED = new ForwardedHop(new byte[0], 0, null);

    private static final int MAX_PORT = 65_535;
    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^\\]]*)\\]|([0-9.]+))(?::([0-9]{1,5}))?");
    /** RFC 7239 section 6; what is hidden may have a port, hidden or not. */
    private static final Pattern NODE =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)\\]|([0-9.]+)|(?i:unknown)|_[A-Za-z0-9._-]+)"
                    + "(?::(?:([0-9]{1,5})|_[A-Za-z0-9._-]+))?");

    /** The same, asked for this host. */
    ForwardedHop askedFor(@Nullable String asked) {
        return asked == null ? this : new ForwardedHop(address, port, asked);
    }

    boolean isNamed() {
        return address.length > 0;
    }

    /** An address, an IPv4 one or one in brackets perhaps with a port; null if it is neither. */
    static @Nullable ForwardedHop listed(String text) {
        byte[] bare = IpAddress.parse(text);
        if (bare != null) {
            return new ForwardedHop(bare, 0, null);
        }
        Matcher parts = WITH_PORT.matcher(text);
        return parts.matches() ? of(parts) : null;
    }

    /** A node of RFC 7239, section 6; unnamed if it is unknown or has an invented name; null if it is none. */
    static @Nullable ForwardedHop node(String text) {
        Matcher parts = NODE.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        String bracketed = parts.group(1);
        if (bracketed == null && parts.group(2) == null) {
            return UNNAMED;
        }
        return bracketed != null && bracketed.indexOf(':') < 0 ? null : of(parts);
    }

    private static @Nullable ForwardedHop of(Matcher parts) {
        String bracketed = parts.group(1);
        byte[] address = IpAddress.parse(bracketed == null ? parts.group(2) : bracketed);
        int port = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return address == null || port > MAX_PORT ? null : new ForwardedHop(address, port, null);
    }
}
