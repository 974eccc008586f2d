package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.RequestTarget;
import io.heartwheel.transport.BindAddress;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Names under which the admin listener answers. A web page whose own name was made to point at this machine (DNS rebinding) is of the same
 * origin as the listener in its browser's eyes, so nothing in the request gives it away but the name in Host.
 *
 * <p>Always good: {@code localhost}, a loopback address, the host of {@code admin.bind}, and the address that the connection came to. Ports are not
 * compared: a tunnel has one of its own. Immutable; any thread.
 */
final class AdminHosts {
    private static final String LOCAL = "localhost";
    private static final String ANYTHING = "*";

    /** Every name is good. */
    static final AdminHosts ANY = new AdminHosts(Set.of(ANYTHING));

    private final Set<String> names;

    private AdminHosts(Set<String> names) {
        this.names = names;
    }

    /** What the operator has configured: the listener's own address, and further names. */
    static AdminHosts of(BindAddress bind, List<String> more) {
        return new AdminHosts(Stream.concat(Stream.of(LOCAL, bind.host()), more.stream())
                .map(AdminHosts::plain)
                .collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * Refuses a request for another host.
     *
     * @param local the address the connection came to, 4 or 16 bytes, or none if it is not known
     * @throws HttpError with 421
     */
    void require(Request call, byte[] local) {
        require(call.headers().get(HttpHeaderNames.HOST), local);
        require(call.authority(), local);
    }

    private void require(@Nullable String authority, byte[] local) {
        if (authority != null && !isOurs(host(authority), local)) {
            throw new HttpError(
                    421,
                    "unknown_host",
                    "Host: " + HttpError.quote(authority)
                            + " is no name of this listener: need a loopback name, the address it is bound to, or one of"
                            + " admin.hosts");
        }
    }

    private boolean isOurs(String host, byte[] local) {
        if (names.contains(ANYTHING) || names.contains(plain(host))) {
            return true;
        }
        byte[] address = IpAddress.parse(host);
        return address != null && (isLoopback(address) || Arrays.equals(address, local));
    }

    private static boolean isLoopback(byte[] address) {
        return address.length == 4 ? address[0] == 127 : IpAddress.text(address).equals("::1");
    }

    /** Without port and brackets; as it stands if it is malformed. */
    private static String host(String authority) {
        String host = RequestTarget.host(authority);
        if (host == null) {
            return authority;
        }
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static String plain(String name) {
        byte[] address = IpAddress.parse(name);
        return address == null ? name.toLowerCase(Locale.ROOT) : IpAddress.text(address);
    }
}
