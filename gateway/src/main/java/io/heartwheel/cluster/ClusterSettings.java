package io.heartwheel.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the fleet that this gateway belongs to. Immutable; any thread.
 *
 * @param name of the fleet: gateways of one name on the same servers are one
 * @param node this gateway's name in it
 * @param servers of NATS, {@code nats://host:port}
 * @param credentialsFile what this gateway proves itself with to NATS; null: nothing
 * @param replicas copies of the rows, on so many servers
 * @param onOutage what becomes of devices while the engine is not to be had
 * @param sweepRate rows of own devices looked at a second
 */
public record ClusterSettings(
        String name,
        String node,
        List<String> servers,
        @Nullable Path credentialsFile,
        int replicas,
        OnOutage onOutage,
        int sweepRate) {
    private static final Pattern SERVER = Pattern.compile("nats://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:]+\\]):[0-9]{1,5}");

    /** What becomes of a device that comes while nobody can be asked who has its id. */
    public enum OnOutage {
        /** It is admitted, as if this gateway were alone. */
        LOCAL,
        /** It is told to come back later. */
        REFUSE
    }

    /** Keeps a copy of the list. */
    public ClusterSettings {
        servers = List.copyOf(servers);
    }

    /** Whether a server can be named so. */
    public static boolean isServer(String url) {
        return SERVER.matcher(url).matches()
                && Integer.parseInt(url.substring(url.lastIndexOf(':') + 1)) <= 65_535
                && !url.endsWith(":0");
    }
}
