package io.heartwheel.transport.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Choice of the certificate for the host that the peer named (RFC 6066, section 3), and of its staple, in the one moment that both providers ask for it. So
 * one context serves all hosts, and no handler has to read the ClientHello beforehand.
 *
 * <p>Called on event loops, once a full handshake: a look into a map. Immutable.
 */
final class CredentialChoice extends X509ExtendedKeyManager {
    private final Map<String, Credential> credentials = new LinkedHashMap<>();
    private final HostNames hosts = new HostNames();
    private final String otherwise;
    private final boolean staples;
    private final LongSupplier wallMillis;

    /**
     * @param all the first is for everyone else
     * @param staples whether engines are BoringSSL's
     */
    CredentialChoice(List<Credential> all, boolean staples, LongSupplier wallMillis) {
        for (Credential credential : all) {
            credentials.put(credential.name(), credential);
            hosts.add(credential.hosts(), credential.name());
        }
        this.otherwise = all.get(0).name();
        this.staples = staples;
        this.wallMillis = wallMillis;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        Credential chosen = find(hosts.find(hostOf(engine), otherwise));
        if (chosen == null || !chosen.keyAlgorithm().equals(keyType)) {
            return null;
        }
        OcspStaple staple = chosen.staple();
        if (staples
                && staple != null
                && engine instanceof ReferenceCountedOpenSslEngine boring
                && staple.holds(wallMillis.getAsLong())) {
            boring.setOcspResponse(staple.encoded());
        }
        return chosen.name();
    }

    /** What the peer called us; empty if it said nothing, or nothing that makes sense. */
    private static String hostOf(@Nullable SSLEngine engine) {
        SSLSession session = engine == null ? null : engine.getHandshakeSession();
        if (!(session instanceof ExtendedSSLSession extended)) {
            return "";
        }
        try {
            for (SNIServerName name : extended.getRequestedServerNames()) {
                if (name instanceof SNIHostName host) {
                    return host.getAsciiName();
                }
            }
        } catch (IllegalArgumentException | UnsupportedOperationException nonsense) {
            return "";
        }
        return "";
    }

    private @Nullable Credential find(String alias) {
        return credentials.get(alias);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Credential credential = find(alias);
        return credential == null ? null : credential.chainArray();
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Credential credential = find(alias);
        return credential == null ? null : credential.key();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return credentials.values().stream()
                .filter(credential -> credential.keyAlgorithm().equals(keyType))
                .map(Credential::name)
                .toArray(String[]::new);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }

    // a gateway is never the client

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
