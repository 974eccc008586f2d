package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.MethodSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the method {@code http}. Immutable; any thread.
 *
 * @param url where to, http or https; its query may hold a secret, so it is shown nowhere
 * @param secretFile file whose first line is sent as {@code Authorization: Bearer}; null: nothing is
 * @param caFile authorities in PEM that sign the service's certificate; null: those of the JDK
 * @param timeout for one call, from its beginning to the end of its answer
 * @param connections most calls under way, 1 or more
 * @param cache how answers are kept
 * @param breaker when the service is left alone
 * @param onOutage what a device is told while the service cannot be asked
 * @param outageTime how long an answer that admits is kept for {@link OnOutage#CACHED}
 * @param outageExpiry for how long {@link OnOutage#ADMIT} admits
 */
public record HttpSettings(
        URI url,
        @Nullable Path secretFile,
        @Nullable Path caFile,
        Duration timeout,
        int connections,
        CacheSettings cache,
        BreakerSettings breaker,
        OnOutage onOutage,
        Duration outageTime,
        Duration outageExpiry)
        implements MethodSettings {
    /** Name of the method. */
    public static final String METHOD = "http";
    /** Shortest secret, bytes. */
    public static final int SHORTEST_SECRET = 16;
    /** Longest secret, bytes. */
    public static final int LONGEST_SECRET = 1_024;

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public Authenticator open(AuthContext context) throws IOException {
        return HttpAuthenticator.open(this, context);
    }

    /** Of the service, without its query. */
    public String place() {
        int port = url.getPort();
        return url.getScheme() + "://" + url.getHost() + (port < 0 ? "" : ":" + port) + url.getRawPath();
    }

    /** Whether a first line may be sent as a secret: visible characters of ASCII. */
    public static boolean isSecret(byte[] line) {
        boolean good = line.length >= SHORTEST_SECRET && line.length <= LONGEST_SECRET;
        for (byte each : line) {
            good &= each > ' ' && each < 0x7F;
        }
        return good;
    }

    /** Without the query. */
    @Override
    public String toString() {
        return "HttpSettings[" + place() + ", " + timeout + ", " + connections + " connections, " + cache + ", "
                + breaker + ", " + onOutage + "]";
    }
}
