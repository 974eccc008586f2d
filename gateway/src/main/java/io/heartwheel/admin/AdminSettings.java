package io.heartwheel.admin;

import io.heartwheel.transport.BindAddress;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Settings of the admin server. Immutable; any thread.
 *
 * @param enabled whether there is any
 * @param bind where it listens
 * @param maxBodyBytes largest request body, {@link #MIN_BODY}..{@link #MAX_BODY}
 * @param maxConnections connections at once, 1..{@link #MAX_CONNECTIONS}
 * @param hosts further names in Host that it answers to; {@code *} stands for all
 */
public record AdminSettings(
        boolean enabled, BindAddress bind, int maxBodyBytes, int maxConnections, List<String> hosts) {
    /** Least body limit, bytes. */
    public static final int MIN_BODY = 1 << 10;
    /** Greatest body limit, bytes. */
    public static final int MAX_BODY = 16 << 20;
    /** Greatest number of connections. */
    public static final int MAX_CONNECTIONS = 10_000;

    private static final Pattern HOST =
            Pattern.compile("\\*|[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*");

    /** @throws IllegalArgumentException naming what is out of range */
    public AdminSettings {
        if (maxBodyBytes < MIN_BODY || maxBodyBytes > MAX_BODY) {
            throw new IllegalArgumentException("admin.max-body = " + maxBodyBytes + "B: need 1KiB..16MiB");
        }
        if (maxConnections < 1 || maxConnections > MAX_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "admin.max-connections = " + maxConnections + ": need 1.." + MAX_CONNECTIONS);
        }
        hosts = List.copyOf(hosts);
        for (String host : hosts) {
            if (!isHost(host)) {
                throw new IllegalArgumentException("admin.hosts = " + host + ": " + HOST_NEED);
            }
        }
    }

    /** What {@link #hosts} may hold, for people. */
    public static final String HOST_NEED = "need names or addresses without a port, or *";

    /** Whether a text can stand in {@link #hosts}. */
    public static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }
}
