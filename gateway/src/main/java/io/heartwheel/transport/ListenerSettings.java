package io.heartwheel.transport;

import io.heartwheel.net.Networks;
import io.heartwheel.transport.tls.TlsSettings;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one listener. Immutable; any thread.
 *
 * @param name the operator's name for it, in logs and metrics: {@code [a-z0-9-]}, 1..32 characters, neither {@value #ADMIN} nor {@value #MONITOR}
 * @param bind where it listens
 * @param protocol what it speaks
 * @param backlog pending accepts asked of the kernel
 * @param reusePort SO_REUSEPORT: several processes may share the port; native transports only
 * @param tls null: in the clear
 * @param balancers who alone may connect and begins with a PROXY header, at least one network; null: nobody stands before it
 */
public record ListenerSettings(
        String name,
        BindAddress bind,
        ListenerProtocol protocol,
        int backlog,
        boolean reusePort,
        @Nullable TlsSettings tls,
        @Nullable Networks balancers) {

    /** The admin listener's name in the ports file, which no other listener may have. */
    public static final String ADMIN = "admin";

    /** That of the monitors' listener. */
    public static final String MONITOR = "monitor";

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

    /** Whether a listener may be called this. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches() && !name.equals(ADMIN) && !name.equals(MONITOR);
    }
}
