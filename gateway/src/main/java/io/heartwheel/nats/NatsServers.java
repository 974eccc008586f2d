package io.heartwheel.nats;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Servers of NATS, and what this gateway proves itself with to them. Immutable; any thread. Names nothing of the client, so that whoever holds it does not load
 * that; holds no secret, only the names of the files that do.
 *
 * @param urls {@code nats://host:port}, or all of them {@code tls://host:port}; the client tries one after the other
 * @param credentialsFile an NKey, and a JWT with it: see {@link NatsKey#open}; null: none
 * @param caFile authorities in PEM that sign the servers' certificates; null: those of the JDK
 * @param certificateFile certificate that is shown to a server that asks, with those above it, in PEM; null: none
 * @param keyFile its key
 */
public record NatsServers(
        List<String> urls,
        @Nullable Path credentialsFile,
        @Nullable Path caFile,
        @Nullable Path certificateFile,
        @Nullable Path keyFile) {
    private static final Pattern SERVER =
            Pattern.compile("(nats|tls)://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:]+\\]):[0-9]{1,5}");
    private static final int HIGHEST_PORT = 65_535;

    /** Keeps a copy of the list. */
    public NatsServers {
        urls = List.copyOf(urls);
    }

    /** Whether a server can be named so. */
    public static boolean isServer(String url) {
        return SERVER.matcher(url).matches()
                && Integer.parseInt(url.substring(url.lastIndexOf(':') + 1)) <= HIGHEST_PORT
                && !url.endsWith(":0");
    }

    /** Whether a server is asked by TLS. */
    public static boolean isSecure(String url) {
        return url.startsWith("tls:");
    }

    /** Where they are, for people. */
    public String place() {
        return String.join(",", urls);
    }
}
