package io.heartwheel.admin;

import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the admin server. Immutable; any thread.
 *
 * @param enabled whether there is any
 * @param bind where it listens
 * @param maxBodyBytes largest request body
 * @param maxConnections connections at once
 * @param hosts further names in Host that it answers to; {@code *} stands for all
 * @param tokensFile hashes of the tokens that callers show; null: there are none
 * @param tls null: in the clear
 * @param clientScopes what a caller with a good client certificate may do
 * @param monitor the listener beside it that shows figures and health
 */
public record AdminSettings(
        boolean enabled,
        BindAddress bind,
        int maxBodyBytes,
        int maxConnections,
        List<String> hosts,
        @Nullable Path tokensFile,
        @Nullable TlsSettings tls,
        Set<Scope> clientScopes,
        Monitor monitor) {
    /** What is needed of an address beyond loopback. */
    public static final String NEED_CALLERS =
            "need a loopback address, or tokens-file, or tls.client-auth = required: whoever reaches it may close devices and send to them";

    private static final Pattern HOST =
            Pattern.compile("\\*|[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*");

    /**
     * Listener for whoever watches: {@code /metrics}, {@code /healthz}, {@code /readyz}, without tokens.
     *
     * @param enabled whether there is any
     * @param bind where it listens
     * @param maxConnections connections at once
     * @param tls null: in the clear
     */
    public record Monitor(boolean enabled, BindAddress bind, int maxConnections, @Nullable TlsSettings tls) {}

    /** @throws IllegalArgumentException if it is beyond loopback and asks nobody who he is */
    public AdminSettings {
        hosts = List.copyOf(hosts);
        clientScopes = Set.copyOf(clientScopes);
        if (enabled && !bind.isLoopback() && tokensFile == null && !requiresCertificates(tls)) {
            throw new IllegalArgumentException("admin.bind = " + bind + ": " + NEED_CALLERS);
        }
    }

    /** Whether a caller need not be known. */
    public boolean asksNobody() {
        return tokensFile == null && (tls == null || tls.clientAuth() == TlsSettings.ClientAuth.NONE);
    }

    private static boolean requiresCertificates(@Nullable TlsSettings tls) {
        return tls != null && tls.clientAuth() == TlsSettings.ClientAuth.REQUIRED;
    }

    /** Whether a text can stand in {@link #hosts}. */
    public static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }
}
