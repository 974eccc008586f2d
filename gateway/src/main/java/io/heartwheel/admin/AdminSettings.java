package io.heartwheel.admin;

import io.heartwheel.transport.BindAddress;

/**
 * The operator's HTTP. Immutable; any thread.
 *
 * @param enabled whether there is any
 * @param bind where it listens
 * @param maxBodyBytes largest request body, {@link #MIN_BODY}..{@link #MAX_BODY}
 * @param maxConnections connections at once, 1..{@link #MAX_CONNECTIONS}
 */
public record AdminSettings(boolean enabled, BindAddress bind, int maxBodyBytes, int maxConnections) {
    /** Least body limit, bytes. */
    public static final int MIN_BODY = 1 << 10;
    /** Greatest body limit, bytes. */
    public static final int MAX_BODY = 16 << 20;
    /** Greatest number of connections. */
    public static final int MAX_CONNECTIONS = 10_000;

    /** @throws IllegalArgumentException naming what is out of range */
    public AdminSettings {
        if (maxBodyBytes < MIN_BODY || maxBodyBytes > MAX_BODY) {
            throw new IllegalArgumentException("admin.max-body = " + maxBodyBytes + "B: need 1KiB..16MiB");
        }
        if (maxConnections < 1 || maxConnections > MAX_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "admin.max-connections = " + maxConnections + ": need 1.." + MAX_CONNECTIONS);
        }
    }
}
