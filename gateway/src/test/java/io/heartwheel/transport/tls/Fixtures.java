package io.heartwheel.transport.tls;

import io.heartwheel.net.Pem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;

/** Certificates, keys and OCSP answers made by {@code make.sh} beside them. */
final class Fixtures {
    private Fixtures() {}

    static Path file(String name) {
        try {
            return Path.of(Fixtures.class.getResource(name).toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static byte[] bytes(String name) {
        try {
            return Files.readAllBytes(file(name));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static X509Certificate x509(String name) {
        return Pem.certificates(bytes(name)).get(0);
    }

    /** The default certificate of a listener: {@code name.pem}, {@code name.key}. */
    static CertificateFiles certificate(String name) {
        return files(file(name + ".pem"), file(name + ".key"));
    }

    /** The default certificate, without a staple. */
    static CertificateFiles files(Path certificateFile, Path keyFile) {
        return new CertificateFiles(CertificateFiles.DEFAULT, certificateFile, keyFile, null, List.of());
    }

    /** The same for other hosts. */
    static CertificateFiles sni(int number, String name, String... hosts) {
        return new CertificateFiles("sni-" + number, file(name + ".pem"), file(name + ".key"), null, List.of(hosts));
    }

    /** A listener with these certificates, the rest as by default. */
    static TlsSettings settings(TlsSettings.Provider provider, CertificateFiles... certificates) {
        return settings(provider, TlsSettings.Version.V1_2, List.of(), certificates);
    }

    /** The same for these versions and ciphers. */
    static TlsSettings settings(
            TlsSettings.Provider provider,
            TlsSettings.Version oldest,
            List<String> ciphers,
            CertificateFiles... certificates) {
        return new TlsSettings(provider, List.of(certificates), oldest, ciphers, TlsSettings.ClientAuth.NONE, null);
    }
}
