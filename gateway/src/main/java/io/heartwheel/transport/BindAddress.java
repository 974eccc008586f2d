package io.heartwheel.transport;

import io.heartwheel.net.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address to listen on, as the operator writes it; a literal IPv6 address in its shortest form (RFC 5952), however it was written. A name is not looked
 * up before {@link #toSocketAddress}. Immutable; any thread.
 *
 * @param host a name or a literal address, IPv6 without brackets; not empty
 * @param port 0..65535; 0 takes a free one
 */
public record BindAddress(String host, int port) {
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}|::1", Pattern.CASE_INSENSITIVE);
    private static final Pattern FORM =
            Pattern.compile("(?:\\[([^\\[\\]/ \t]*:[^\\[\\]/ \t]*)]|([^:\\[\\]/ \t]+)):([0-9]{1,5})");
    private static final String NEED = ": need host:port, port 0..65535, an IPv6 address in brackets";

    /** @throws IllegalArgumentException naming what is wrong */
    public BindAddress {
        if (host.isBlank() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("bind = " + host + ":" + port + NEED);
        }
        byte[] v6 = host.indexOf(':') < 0 ? null : IpAddress.parse(host);
        host = v6 == null ? host : IpAddress.text(v6);
    }

    /**
     * Reads {@code host:port} or {@code [v6]:port}.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    public static BindAddress parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("bind = " + text + NEED);
        }
        String bracketed = parts.group(1);
        return new BindAddress(bracketed == null ? parts.group(2) : bracketed, Integer.parseInt(parts.group(3)));
    }

    /** Whether it stands for every address of the machine. */
    public boolean isWildcard() {
        return WILDCARDS.contains(host);
    }

    /**
     * Whether this machine alone can reach it: {@code localhost}, 127.0.0.0/8 or {@code ::1}. Other names are not looked up, and so are not.
     */
    public boolean isLoopback() {
        return LOOPBACK.matcher(host).matches();
    }

    /**
     * Whether the two cannot be bound side by side: the same port on the same host, or on all of them. Port 0 clashes with nothing. Names are
     * compared as written.
     */
    public boolean clashesWith(BindAddress other) {
        boolean sameHost = host.equalsIgnoreCase(other.host) || isWildcard() || other.isWildcard();
        return port != 0 && port == other.port && sameHost;
    }

    /** The address to bind, the name looked up now; blocks as long as the look-up does. May be unresolved. */
    public InetSocketAddress toSocketAddress() {
        return new InetSocketAddress(host, port);
    }

    /**
     * The same, resolved.
     *
     * @param key names it in the error
     * @throws IOException if nobody knows the name
     */
    public InetSocketAddress resolved(String key) throws IOException {
        InetSocketAddress address = toSocketAddress();
        if (address.isUnresolved()) {
            throw new IOException(key + " = " + this + ": unknown host");
        }
        return address;
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
