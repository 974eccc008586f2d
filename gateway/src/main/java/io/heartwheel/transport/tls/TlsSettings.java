package io.heartwheel.transport.tls;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one listener. Whether the files hold what they should is seen when the listener starts. Immutable; any thread.
 *
 * @param provider who does the work
 * @param certificates at least one; the first is shown to whoever names no host, or one that no other is for
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

    /** Provider of TLS. */
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

    /** Requirement for a certificate of the device. */
    public enum ClientAuth {
        /** It is not asked. */
        NONE,
        /** It is asked; one that shows a certificate must show a good one. */
        OPTIONAL,
        /** Without a good one it is turned away. */
        REQUIRED
    }

    /** Copies the lists. */
    public TlsSettings {
        certificates = List.copyOf(certificates);
        ciphers = List.copyOf(ciphers);
    }
}
