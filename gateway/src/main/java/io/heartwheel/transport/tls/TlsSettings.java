package io.heartwheel.transport.tls;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one listener. Whether the files hold what they should is seen when the listener starts. Immutable; any thread.
 *
 * @param provider who does the work
 * @param certificates the first is shown to whoever names no host, or one that no other is for
 * @param oldest least version spoken
 * @param ciphers of TLS 1.2, names of {@link TlsCiphers#KNOWN}, the best first; empty: {@link TlsCiphers#OURS}. Those of TLS 1.3 are fixed.
 * @param clientAuth whether devices show certificates
 * @param clientCaFile PEM, who signs them; null only with {@link ClientAuth#NONE}
 */
public record TlsSettings(
        Provider provider,
        List<CertificateFiles> certificates,
        Version oldest,
        List<String> ciphers,
        ClientAuth clientAuth,
        @Nullable Path clientCaFile) {

    /** Who speaks TLS. */
    public enum Provider {
        /** BoringSSL where its library loads, else the JDK, which is said at start. */
        AUTO,
        /** BoringSSL, or no start. */
        BORINGSSL,
        /** The JDK's own: slower and larger, no shared tickets, no stapling. */
        JDK
    }

    /** A version of TLS. */
    public enum Version {
        /** TLS 1.2, RFC 5246. */
        V1_2("TLSv1.2"),
        /** TLS 1.3, RFC 8446. */
        V1_3("TLSv1.3");

        private final String javaName;

        Version(String javaName) {
            this.javaName = javaName;
        }

        String javaName() {
            return javaName;
        }
    }

    /** Whether a device shows a certificate. */
    public enum ClientAuth {
        /** It is not asked. */
        NONE,
        /** It is asked; one that shows a certificate must show a good one. */
        OPTIONAL,
        /** Without a good one it is turned away. */
        REQUIRED
    }

    /** @throws IllegalArgumentException naming what is missing or contradicts */
    public TlsSettings {
        certificates = List.copyOf(certificates);
        ciphers = List.copyOf(ciphers);
        if (certificates.isEmpty()) {
            throw new IllegalArgumentException("tls.certificate-file = \"\": need a PEM file when TLS is enabled");
        }
        if (clientAuth != ClientAuth.NONE && clientCaFile == null) {
            throw new IllegalArgumentException("tls.client-ca-file = \"\": need a PEM file with client-auth = "
                    + clientAuth.name().toLowerCase(Locale.ROOT));
        }
        for (String cipher : ciphers) {
            if (!TlsCiphers.KNOWN.contains(cipher)) {
                throw new IllegalArgumentException("tls.ciphers = " + cipher + ": need one of " + TlsCiphers.KNOWN);
            }
        }
        if (!ciphers.isEmpty() && oldest == Version.V1_3) {
            throw new IllegalArgumentException("tls.ciphers = " + ciphers + ": need [] with min-version = 1.3");
        }
        Set<String> names = new HashSet<>();
        Set<String> hosts = new HashSet<>();
        for (CertificateFiles certificate : certificates) {
            if (!names.add(certificate.name())) {
                throw new IllegalArgumentException("tls.sni: need one certificate of the name " + certificate.name());
            }
            for (String host : certificate.hosts()) {
                if (!hosts.add(host)) {
                    throw new IllegalArgumentException("tls.sni: need one certificate for " + host);
                }
            }
        }
    }
}
