package io.heartwheel.protocol.websocket;

import io.heartwheel.net.IpAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Peer of one balancer, as the balancer tells it: in an address list, or in an element of a {@code Forwarded} header (RFC 7239, section 4).
 *
 * <pre>
 *   for="[2001:db8::7]:5000";proto=https;host="a, \"b\"", for=10.0.0.2
 *   |   |                   |                           +-- the next balancer's
 *   |   |                   +-- other parameters: must be well-formed; host is what was asked for, the rest means nothing here
 *   |   +-- a node, quoted if it has a colon
 *   +-- at most once; names in any case
 * </pre>
 *
 * <p>A list of elements is taken apart from its right end, where the balancers that are believed wrote: a quote that a device opened and did not close
 * reaches no further to the right than the device's own text.
 *
 * @param address 4 or 16 bytes; of no length if the balancer does not say
 * @param port 0 if the balancer does not say
 * @param host the Host it was asked for; null if the balancer does not say
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record ForwardedHop(byte[] address, int port, @Nullable String host) {
    /** Longest element, in characters. */
    static final int MAX_LENGTH = 1_024;

    /** A balancer that does not say whom it saw. */
    static final ForwardedHop UNNAMED = new ForwardedHop(new byte[0], 0, null);

    private static final int MAX_PORT = 65_535;
    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^\\]]*)\\]|([0-9.]+))(?::([0-9]{1,5}))?");
    /** RFC 7239 section 6; what is hidden may have a port, hidden or not. */
    private static final Pattern NODE =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)\\]|([0-9.]+)|(?i:unknown)|_[A-Za-z0-9._-]+)"
                    + "(?::(?:([0-9]{1,5})|_[A-Za-z0-9._-]+))?");

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

    /** Where the comma stands in front of the last element of what ends here; -1 if there is none that is not within quotes. */
    static int commaBefore(String list, int end) {
        boolean quoted = false;
        for (int i = end - 1; i >= 0; i--) {
            char c = list.charAt(i);
            if (c == ',' && !quoted) {
                return i;
            }
            if (c == '"') {
                quoted = !quoted || isEscaped(list, i);
            }
        }
        return -1;
    }

    private static boolean isEscaped(String list, int index) {
        int first = index;
        while (first > 0 && list.charAt(first - 1) == '\\') {
            first--;
        }
        return (index - first) % 2 == 1;
    }

    /** Of an element of {@code Forwarded}: unnamed if it does not say; null if it is malformed. */
    static @Nullable ForwardedHop element(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return null;
        }
        HeaderScanner in = new HeaderScanner(text);
        String node = null;
        String host = null;
        do {
            String name = in.skipBlanks().token();
            if (name == null) {
                continue; // a pair may be missing between two semicolons
            }
            String value = in.take('=') ? in.value() : null;
            boolean isNode = name.equalsIgnoreCase("for");
            if (value == null || (isNode && node != null)) {
                return null;
            }
            node = isNode ? value : node;
            host = name.equalsIgnoreCase("host") ? value : host;
        } while (in.skipBlanks().take(';'));
        ForwardedHop hop = node == null ? UNNAMED : node(node);
        if (hop == null || !in.isAtEnd()) {
            return null;
        }
        return host == null ? hop : new ForwardedHop(hop.address, hop.port, host);
    }

    /** A node of RFC 7239, section 6; unnamed if it is unknown or has an invented name; null if it is none. */
    private static @Nullable ForwardedHop node(String text) {
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
