package io.heartwheel.config;

import io.heartwheel.auth.certificate.CertificateSettings;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.Path;
import java.util.List;

/** The block {@code auth.certificate}: its rules and its settings. One thread. */
final class CertificateRules {
    private CertificateRules() {}

    /**
     * Notes what is wrong where the method is used.
     *
     * @param root the whole configuration: listeners ask for certificates, and know the authorities
     */
    static void check(Block certificate, Block root) {
        if (authorities(root).isEmpty()) {
            certificate.problem(
                    "from",
                    "need a listener with tls.enabled = true and tls.client-auth = optional or required, for this method");
        }
        certificate.readable("crl-file", false);
    }

    /**
     * What a good block means.
     *
     * @param root the whole configuration
     */
    static CertificateSettings read(Block certificate, Block root) {
        return new CertificateSettings(
                (CertificateSettings.From) certificate.get("from"),
                certificate.text("pattern"),
                certificate.path("crl-file").orElse(null),
                authorities(root));
    }

    /** Authorities of all listeners that ask for certificates, each once. */
    private static List<Path> authorities(Block root) {
        return root.names(FlatConfig.LISTENERS).stream()
                .map(name -> root.in(FlatConfig.LISTENERS + "." + name))
                .filter(listener -> listener.flag("enabled")
                        && listener.flag("tls.enabled")
                        && listener.get("tls.client-auth") != TlsSettings.ClientAuth.NONE)
                .flatMap(listener -> listener.path("tls.client-ca-file").stream())
                .distinct()
                .toList();
    }
}
