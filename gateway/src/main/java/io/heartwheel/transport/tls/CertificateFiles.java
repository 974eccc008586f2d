package io.heartwheel.transport.tls;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Files of one certificate of a listener. Immutable; any thread.
 *
 * @param name in metrics and logs: {@value #DEFAULT}, or {@code sni-1}, {@code sni-2} ... by place in the configuration
 * @param certificateFile PEM, the certificate and those above it
 * @param keyFile PEM, its private key, PKCS #8, PKCS #1 or SEC 1, not encrypted
 * @param ocspFile DER, the authority's answer that it is good (RFC 6960), stapled while it holds; null: none
 * @param hosts whom it is for, as {@link HostNames#isPattern} has them; empty: those that it names itself
 */
public record CertificateFiles(
        String name, Path certificateFile, Path keyFile, @Nullable Path ocspFile, List<String> hosts) {

    /** The one that is shown when no other fits. */
    public static final String DEFAULT = "default";

    /** Copies the list. */
    public CertificateFiles {
        hosts = List.copyOf(hosts);
    }
}
